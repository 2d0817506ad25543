import { type GeneratedSystem, operationNamed, type Step, serviceNamed } from './generated-system.ts'
import { operationKey } from './span-counts.ts'

/** How often things are asked for on an ordinary day, per second. */
export interface RequestRates {
  /** By `service operation`. */
  operations: Map<string, number>
  services: Map<string, number>
  topics: Map<string, number>
  /** By caller and what it calls, a service or something outside: `caller→target`. */
  calls: Map<string, number>
}

export function requestRates(system: GeneratedSystem): RequestRates {
  const rates: RequestRates = { operations: new Map(), services: new Map(), topics: new Map(), calls: new Map() }
  const weights = system.entries.reduce((sum, { weight }) => sum + weight, 0)
  const visit = (service: string, operation: string, rate: number): void => {
    add(rates.operations, operationKey(service, operation), rate)
    add(rates.services, service, rate)
    follow(service, operationNamed(serviceNamed(system, service), operation).steps, rate)
  }
  const follow = (service: string, steps: Step[], rate: number): void => {
    for (const step of steps) {
      if (step.do === 'together') follow(service, step.branches, rate)
      if (step.do === 'publish') add(rates.topics, step.topic, rate)
      const target = step.do === 'call' ? step.service : step.do === 'query' ? step.database : undefined
      const called = step.do === 'external' ? step.api : target
      if (called !== undefined) add(rates.calls, `${service}→${called}`, rate)
      if (step.do === 'call') visit(step.service, step.operation, rate)
    }
  }
  for (const { service, operation, weight } of system.entries)
    visit(service, operation, (system.requestsPerSecond * weight) / weights)
  for (const { name, consumes } of system.services)
    for (const { topic, steps } of consumes) follow(name, steps, rates.topics.get(topic) ?? 0)
  return rates
}

/** Who calls something, and how often; most often first. */
export function callersOf({ calls }: RequestRates, target: string): { caller: string; rate: number }[] {
  return [...calls]
    .flatMap(([edge, rate]) => {
      const [caller = '', called] = edge.split('→')
      return called === target ? [{ caller, rate }] : []
    })
    .toSorted((a, b) => b.rate - a.rate)
}

function add(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value)
}
