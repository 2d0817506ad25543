import type { Watched } from './watched-habit.ts'

/** Of those of the same operation that are broken by as many spans in every minute, the first. */
export function oneOfEach(watched: Watched[]): Watched[] {
  const seen = new Map<number, Watched[]>()
  return watched.filter((each) => {
    const mark = markOf(each)
    const marked = seen.get(mark)
    if (marked === undefined) seen.set(mark, [each])
    else if (marked.some((other) => isSame(each, other))) return false
    else marked.push(each)
    return true
  })
}

/** A number that the same counts always have, and others hardly ever. */
function markOf({ parts, wholes }: Watched): number {
  let mark = 0
  for (let minute = 0; minute < parts.length; minute++)
    mark = (mark * 31 + (parts[minute] as number) * 17 + (wholes[minute] as number)) | 0
  return mark
}

function isSame(a: Watched, b: Watched): boolean {
  if (a.operationName !== b.operationName || a.serviceName !== b.serviceName) return false
  return a.of === b.of && a.way === b.way && areEqual(a.parts, b.parts) && areEqual(a.wholes, b.wholes)
}

function areEqual(a: number[], b: number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
