import type { ServiceSpec, Step } from './generated-system.ts'

/** Every step of a service, also those that run side by side. */
export function stepsOf({ operations, consumes }: ServiceSpec): Step[] {
  return [...operations, ...consumes].flatMap(({ steps }) => flat(steps))
}

export function databasesOf(service: ServiceSpec): string[] {
  return [...new Set(stepsOf(service).flatMap((step) => (step.do === 'query' ? [step.database] : [])))]
}

function flat(steps: Step[]): Step[] {
  return steps.flatMap((step) => (step.do === 'together' ? flat(step.branches) : [step]))
}
