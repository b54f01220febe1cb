// SPDX-License-Identifier: Apache-2.0
// linpoint: --spec queue
//
// moodycamel::ConcurrentQueue: a queue for each thread that has enqueued; a dequeue searches one after the other, so
// the whole is not FIFO. Blocks and tables are small, so that each object is constructed quickly. And
// moodycamel::ReaderWriterQueue, for one producer and one consumer.
#include <concurrentqueue/concurrentqueue.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include <linpoint/test.hpp>
#include <optional>

template <typename Queue>
std::optional<int> popped(Queue& queue) {
  int value = 0;
  if (!queue.try_dequeue(value)) return std::nullopt;
  return value;
}

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 4;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

struct ManyProducers {
  moodycamel::ConcurrentQueue<int, Small> queue{8};

  void enqueue(int value) { queue.enqueue(value); }
  std::optional<int> dequeue() { return popped(queue); }
};
LINPOINT_TEST(ManyProducers, enqueue, dequeue)

struct OneProducer : ManyProducers {};
LINPOINT_TEST(OneProducer, enqueue, dequeue)
LINPOINT_ROLES(OneProducer, "enqueue | dequeue")

struct ReaderWriter {
  moodycamel::ReaderWriterQueue<int> queue{2};

  void enqueue(int value) { queue.enqueue(value); }
  std::optional<int> dequeue() { return popped(queue); }
};
LINPOINT_TEST(ReaderWriter, enqueue, dequeue)
LINPOINT_ROLES(ReaderWriter, "enqueue | dequeue")
