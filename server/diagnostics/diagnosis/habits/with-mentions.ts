import type { CallGraph } from '../call-graph.ts'
import { groupedBy } from '../grouped-by.ts'
import type { EdgeSeries } from '../series/minute-series.ts'
import type { BrokenHabit } from './habit.ts'
import { type Mention, mentionOf, type Report } from './mention.ts'

const TEXTS_MAX = 20

/** Habits with whom newly reported failures speak of. */
export function withMentions(habits: BrokenHabit[], edges: EdgeSeries[], graph: CallGraph): BrokenHabit[] {
  const reports = habits.filter(isReport).map(reportOf)
  return habits.map((habit) => (isReport(habit) ? { ...habit, mention: mostMeant(habit) } : habit))

  /** One record may speak of someone else than the others that the same line of code wrote. */
  function mostMeant(habit: BrokenHabit): Mention | undefined {
    const byText = [...groupedBy(habit.examples, (text) => text)].toSorted(([, a], [, b]) => b.length - a.length)
    const asked = byText.slice(0, TEXTS_MAX).map(([text, said]) => ({
      mention: mentionOf({ ...reportOf(habit), text }, edges, graph, reports),
      count: said.length,
    }))
    const sumOf = (some: typeof asked) => some.reduce((sum, { count }) => sum + count, 0)
    const meant = groupedBy(asked, ({ mention }) => JSON.stringify(mention))
    const [most] = [...meant.values()].toSorted((a, b) => sumOf(b) - sumOf(a))
    return most && sumOf(most) > sumOf(asked) / 2 ? most[0]?.mention : undefined
  }
}

export function isReport({ of, way }: BrokenHabit): boolean {
  return of === 'statement' && way === 'new'
}

function reportOf({ serviceName, examples, episode }: BrokenHabit): Report {
  return { serviceName, text: examples.at(-1) ?? '', episode }
}
