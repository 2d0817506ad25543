import { Problem } from './problem.ts'

export interface SlotLimits {
  /** How many questions of one caller run at once. */
  perCaller: number
  waitMs: number
}

export interface QuestionSlots {
  /** Runs the question when its caller has a slot free, in the order of asking. */
  run<T>(callerKey: string, question: () => Promise<T>): Promise<T>
}

interface Queue {
  running: number
  waiting: Set<() => void>
}

export function createQuestionSlots({ perCaller, waitMs }: SlotLimits): QuestionSlots {
  const queues = new Map<string, Queue>()

  async function enter(callerKey: string): Promise<Queue> {
    const queue = queues.get(callerKey) ?? { running: 0, waiting: new Set() }
    queues.set(callerKey, queue)
    if (queue.running < perCaller) queue.running++
    else await turn(queue)
    return queue
  }

  function turn(queue: Queue): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        queue.waiting.delete(start)
        reject(tooMany())
      }, waitMs)
      queue.waiting.add(start)
    })
  }

  /** Whoever waits longest inherits the slot, so that the count of running ones does not change. */
  function leave(callerKey: string, queue: Queue): void {
    const [next] = queue.waiting
    if (next) {
      queue.waiting.delete(next)
      next()
    } else if (--queue.running === 0) queues.delete(callerKey)
  }

  function tooMany(): Problem {
    const detail = `At most ${perCaller} questions of one caller run at once, and none of them ended in time.`
    return new Problem('too-many-questions', detail, { headers: { 'retry-after': '1' } })
  }

  return {
    async run(callerKey, question) {
      const queue = await enter(callerKey)
      try {
        return await question()
      } finally {
        leave(callerKey, queue)
      }
    },
  }
}
