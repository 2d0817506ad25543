import { keepLatest } from './presence.ts'
import type { ServiceState } from './service-state.ts'

/** What has to be known of each service of a Grid at the end of an hour to look through the next one. */
export type GridState = Map<string, ServiceState>

const SERVICES_MAX = 1000
/** A state of another form is of no use: everything is looked through again. */
const FORM = 1

/** The same text for the same state. */
export function textOfState(state: GridState): string {
  keepLatest(state, SERVICES_MAX)
  return JSON.stringify([FORM, state], (_key, value) => (value instanceof Map ? { entries: sorted(value) } : value))
}

/** Undefined where the text is not of the form that is used now. */
export function stateOfText(text: string): GridState | undefined {
  const [form, state] = JSON.parse(text, (_key, value) => {
    return Array.isArray(value?.entries) ? new Map(value.entries) : value
  }) as [number, GridState]
  return form === FORM ? state : undefined
}

function sorted(map: Map<string, unknown>): [string, unknown][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}
