import { mergeTemplates } from '../domain/log-template.ts'
import type { LogPattern } from '../storage/telemetry-store.ts'
import { groupedBy } from './diagnosis/grouped-by.ts'

/** Patterns that are one as far as they tell together. */
export interface MergedPattern extends LogPattern {
  /** The one of them that was seen last. */
  newest: LogPattern
}

/** Puts together what differs only in a name that is another one each time; most common first, then the newest. */
export function mergePatterns(patterns: LogPattern[]): MergedPattern[] {
  const merged = new Map<string, MergedPattern>()
  for (const [serviceName, own] of groupedBy(patterns, (pattern) => pattern.serviceName)) {
    const templates = mergeTemplates(new Set(own.map(({ template }) => template)))
    for (const pattern of own) {
      const template = templates.get(pattern.template) ?? pattern.template
      const key = JSON.stringify([serviceName, pattern.severityLevel, template])
      const known = merged.get(key)
      merged.set(key, known ? together(known, pattern) : { ...pattern, template, newest: pattern })
    }
  }
  return [...merged.values()].sort((a, b) => b.recordCount - a.recordCount || byLastSeen(a, b))
}

function together(known: MergedPattern, other: LogPattern): MergedPattern {
  return {
    ...known,
    recordCount: known.recordCount + other.recordCount,
    firstNs: other.firstNs < known.firstNs ? other.firstNs : known.firstNs,
    lastNs: other.lastNs > known.lastNs ? other.lastNs : known.lastNs,
    newest: other.lastNs > known.newest.lastNs ? other : known.newest,
  }
}

function byLastSeen(a: LogPattern, b: LogPattern): number {
  if (a.lastNs !== b.lastNs) return a.lastNs < b.lastNs ? 1 : -1
  return textOf(a) < textOf(b) ? -1 : 1
}

function textOf({ serviceName, template, severityLevel }: LogPattern): string {
  return `${serviceName}\n${template}\n${severityLevel}`
}
