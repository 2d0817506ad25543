import type { Overview } from '../facts.ts'

export function knownServices({ edges, services }: Overview): Set<string> {
  const called = edges.flatMap(({ targetIsService, targetName }) => (targetIsService ? [targetName] : []))
  return new Set([...services.map(({ serviceName }) => serviceName), ...called])
}
