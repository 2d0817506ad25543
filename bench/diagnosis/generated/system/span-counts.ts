import type { Step } from './generated-system.ts'

/** How many spans a request to an operation gives, by `service operation`. */
export type SpanCounts = Map<string, number>

export function operationKey(service: string, operation: string): string {
  return `${service} ${operation}`
}

export function spansOfSteps(steps: Step[], counts: SpanCounts): number {
  return steps.reduce((sum, step) => sum + spansOf(step, counts), 0)
}

function spansOf(step: Step, counts: SpanCounts): number {
  switch (step.do) {
    case 'call':
      return 1 + (counts.get(operationKey(step.service, step.operation)) ?? 1)
    case 'together':
      return spansOfSteps(step.branches, counts)
    case 'query':
    case 'external':
    case 'publish':
      return 1
    default:
      return 0
  }
}
