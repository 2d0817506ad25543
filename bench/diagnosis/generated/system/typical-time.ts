import { type GeneratedSystem, operationNamed, type ServiceSpec, type Step, serviceNamed } from './generated-system.ts'

/** About how long a service takes for a request on an ordinary day, with all that it waits for. */
export function typicalMs(system: GeneratedSystem, service: ServiceSpec): number {
  const all = [...service.operations, ...service.consumes].map(({ steps }) => sumOf(system, steps))
  return all.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length)
}

function sumOf(system: GeneratedSystem, steps: Step[]): number {
  return steps.reduce((sum, step) => sum + msOf(system, step), 0)
}

function msOf(system: GeneratedSystem, step: Step): number {
  switch (step.do) {
    case 'compute':
    case 'query':
      return step.medianMs
    case 'external':
      return system.apis.find(({ name }) => name === step.api)?.medianMs ?? 0
    case 'call':
      return sumOf(system, operationNamed(serviceNamed(system, step.service), step.operation).steps) + 1
    case 'together':
      return Math.max(...step.branches.map((branch) => msOf(system, branch)))
    default:
      return 1
  }
}
