import type { ControlStore, Role } from '../control/control-store.ts'
import type { Caller } from './caller.ts'

/** What the caller may do on a Grid; undefined both where it has no role and, for all but administrators, where there is no such Grid. */
export async function roleOn(control: ControlStore, caller: Caller, gridId: string): Promise<Role | undefined> {
  if (caller.kind === 'key') return caller.gridId === gridId.toLowerCase() ? caller.role : undefined
  if (caller.admin) return (await control.grids.find(gridId)) && 'Owner'
  return control.members.roleOf(gridId, caller.subjects)
}
