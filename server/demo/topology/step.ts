import type { ApiName, DatabaseName, TopicName } from './dependencies.ts'

/** What a service does to answer one request, one step after the other. Tables of these are the shop's program. */
export type Step =
  | { do: 'compute'; cpuMs: number }
  | { do: 'query'; database: DatabaseName; summary: string; text: string; medianMs: number }
  | { do: 'transaction'; database: DatabaseName; steps: Step[] }
  | { do: 'call'; service: string; operation: string; timeoutMs: number; retries: number; optional: boolean }
  | { do: 'external'; api: ApiName; operation: string; timeoutMs: number; retries: number }
  | { do: 'publish'; topic: TopicName }
  | { do: 'together'; branches: Step[][] }
  | { do: 'sometimes'; share: number; steps: Step[] }
  | { do: 'repeat'; times: number; steps: Step[] }
  | { do: 'within'; name: string; steps: Step[] }
  | { do: 'say'; level: LogLevel; text: string }
  | { do: 'fail'; share: number; type: string; message: string; status: number }

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface CallLimits {
  timeoutMs: number
  retries?: number
}

/** Milliseconds of one core. How long that takes depends on what else the instance computes. */
export const compute = (cpuMs: number): Step => ({ do: 'compute', cpuMs })

/** One statement on a pooled connection. The summary is the span's name, as in `SELECT products`. */
export const query = (database: DatabaseName, summary: string, text: string, medianMs: number): Step => ({
  do: 'query',
  database,
  summary,
  text,
  medianMs,
})

/** Holds one connection for all of its statements. */
export const transaction = (database: DatabaseName, steps: Step[]): Step => ({ do: 'transaction', database, steps })

export const call = (service: string, operation: string, limits: CallLimits): Step => ({
  do: 'call',
  service,
  operation,
  timeoutMs: limits.timeoutMs,
  retries: limits.retries ?? 0,
  optional: false,
})

/** A call whose failure is logged and done without. */
export const tryCall = (service: string, operation: string, limits: CallLimits): Step => ({
  do: 'call',
  service,
  operation,
  timeoutMs: limits.timeoutMs,
  retries: limits.retries ?? 0,
  optional: true,
})

export const external = (api: ApiName, operation: string, limits: CallLimits): Step => ({
  do: 'external',
  api,
  operation,
  timeoutMs: limits.timeoutMs,
  retries: limits.retries ?? 0,
})

export const publish = (topic: TopicName): Step => ({ do: 'publish', topic })
export const together = (...branches: Step[][]): Step => ({ do: 'together', branches })
export const sometimes = (share: number, steps: Step[]): Step => ({ do: 'sometimes', share, steps })
export const repeat = (times: number, steps: Step[]): Step => ({ do: 'repeat', times, steps })
export const within = (name: string, steps: Step[]): Step => ({ do: 'within', name, steps })
export const say = (level: LogLevel, text: string): Step => ({ do: 'say', level, text })

/** Throws in the given share of requests. */
export const fail = (share: number, type: string, message: string, status = 500): Step => ({
  do: 'fail',
  share,
  type,
  message,
  status,
})

/** The odd failure of an ordinary day: one request in two thousand. */
export const hiccup = (type: string, message: string): Step => fail(0.0005, type, message)
