import type { Random } from '../../../../server/demo/engine/random.ts'
import type { CallLimits, OperationSpec, ServiceSpec, Step } from './generated-system.ts'
import type { Names } from './names.ts'
import { type SpanCounts, spansOfSteps } from './span-counts.ts'

/** What a service may lean on, which is known before it is made. */
export interface Below {
  services: ServiceSpec[]
  databases: string[]
  apis: string[]
  topics: string[]
  counts: SpanCounts
}

const STEP_SPANS_MAX = 14
const CALLS_MAX = 3

/** An operation with work of its own, and calls to what is below it. */
export function makeOperation(random: Random, names: Names, name: string, below: Below): OperationSpec {
  const steps: Step[] = [compute(random)]
  for (const database of below.databases) if (random.chance(0.7)) steps.push(...queries(random, names, database))
  const calls = callsOf(random, below)
  if (calls.length > 1 && random.chance(0.3)) steps.push({ do: 'together', branches: calls })
  else steps.push(...calls)
  for (const api of below.apis) steps.push(external(random, names, api))
  for (const topic of below.topics) if (random.chance(0.6)) steps.push({ do: 'publish', topic })
  if (random.chance(0.4)) steps.push({ do: 'say', text: `${names.noun()} {id} done` })
  steps.push(compute(random))
  return { name, steps, hiccup: { share: random.unit() ** 3 * 0.01, ...names.exception() } }
}

export function operationName(random: Random, names: Names, isGrpc: boolean): string {
  const noun = names.thing()
  if (isGrpc) return `${noun}.v1.${pascal(noun)}/${random.pick(['Get', 'List', 'Put', 'Check'])}`
  return `${random.pick(['GET', 'GET', 'POST', 'PUT'])} /${noun}${random.chance(0.4) ? '/{id}' : ''}`
}

export function compute(random: Random): Step {
  return { do: 'compute', medianMs: random.lognormal(4, 0.8), sigma: 0.25 + random.unit() * 0.4 }
}

export function queries(random: Random, names: Names, database: string): Step[] {
  const verb = () => random.pick(['SELECT', 'SELECT', 'INSERT', 'UPDATE'])
  return Array.from({ length: 1 + random.integer(2) }, () => ({
    do: 'query' as const,
    database,
    statement: verb(),
    table: names.noun(),
    medianMs: random.lognormal(2.5, 0.7),
  }))
}

function callsOf(random: Random, { services, counts }: Below): Step[] {
  const calls: Step[] = []
  const wanted = services.length === 0 ? 0 : random.integer(CALLS_MAX + 1)
  for (let i = 0; i < wanted; i++) {
    const step = callTo(random, random.pick(services))
    if (spansOfSteps([...calls, step], counts) <= STEP_SPANS_MAX) calls.push(step)
  }
  return calls
}

export function callTo(random: Random, service: ServiceSpec): Step {
  const operation = random.pick(service.operations)
  return { do: 'call', service: service.name, operation: operation.name, limits: limits(random, 0.2) }
}

function external(random: Random, names: Names, api: string): Step {
  return { do: 'external', api, operation: `POST /v1/${names.noun()}`, limits: limits(random, 0.1) }
}

function limits(random: Random, optionalShare: number): CallLimits {
  return {
    timeoutMs: random.pick([1000, 2000, 3000, 5000, 10_000]),
    retries: random.pick([0, 0, 0, 1, 2]),
    isOptional: random.chance(optionalShare),
  }
}

function pascal(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
