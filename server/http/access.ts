import { type ControlStore, type Grid, ROLES, type Role, type Scope } from '../control/control-store.ts'
import type { Caller } from '../identity/caller.ts'
import { roleOn } from '../identity/role-on.ts'
import { Problem } from './problem.ts'

/** Who may use a route. Every route declares one. */
export type Access = GridAccess | PlatformAccess

export type PlatformAccess = { of: 'anyone' } | { of: 'administrators' }

export interface GridAccess {
  of: 'grid'
  /** This role or a stronger one. */
  role: Role
  /** What a key must have been made for. People and clients are judged by their role alone. */
  scope: Scope
  /** Management works without a subscription that serves, or nobody could renew it. */
  subscription: 'needed' | 'not needed'
}

/** Reading telemetry and what is found in it. */
export const READS: GridAccess = { of: 'grid', role: 'Guest', scope: 'read', subscription: 'needed' }
/** Looking at the Grid itself. */
export const SEES_GRID: GridAccess = { of: 'grid', role: 'Guest', scope: 'read', subscription: 'not needed' }
/** Saying that one takes care of an alert. */
export const ANSWERS_ALERTS: GridAccess = { of: 'grid', role: 'User', scope: 'manage', subscription: 'not needed' }
/** Changing what those who work with the Grid share. */
export const EDITS_GRID: GridAccess = { of: 'grid', role: 'Member', scope: 'manage', subscription: 'not needed' }
/** The same of what shows telemetry. */
export const EDITS_CHARTS: GridAccess = { ...EDITS_GRID, subscription: 'needed' }
/** Changing what belongs to the Grid's owners. */
export const MANAGES_GRID: GridAccess = { of: 'grid', role: 'Owner', scope: 'manage', subscription: 'not needed' }
/** Anybody who proved who they are. */
export const SIGNED_IN: PlatformAccess = { of: 'anyone' }
export const ADMINISTERS: PlatformAccess = { of: 'administrators' }

/** What a caller was let in with. `grid` is undefined only for an administrator who names one that does not exist. */
export interface GridPermission {
  grid: Grid | undefined
  role: Role
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function gridIdOf(params: unknown): string {
  const { gridSecondaryId } = params as { gridSecondaryId?: string }
  if (gridSecondaryId === undefined || !UUID.test(gridSecondaryId)) {
    throw new Problem('malformed-grid-id', 'gridSecondaryId must be a UUID.')
  }
  return gridSecondaryId.toLowerCase()
}

export function requireAdministrator(caller: Caller): void {
  if (!isAdministrator(caller)) {
    throw new Problem('administrators-only', 'Only a platform administrator may do this.')
  }
}

/** Nothing about a Grid, not even that it exists, is told to somebody without a role on it. */
export async function permitOnGrid(
  control: ControlStore,
  caller: Caller,
  access: GridAccess,
  gridId: string,
): Promise<GridPermission> {
  const grid = await control.grids.find(gridId)
  if (!grid && isAdministrator(caller)) return { grid, role: 'Owner' }
  const role = grid && (await roleOn(control, caller, gridId))
  if (!role) throw new Problem('no-access', 'You have no role on this Grid, or it does not exist.')
  if (access.subscription === 'needed') requireSubscription(grid)
  requireRole(role, access.role)
  requireScope(caller, access.scope)
  return { grid, role }
}

export function isAdministrator(caller: Caller): boolean {
  return caller.kind !== 'key' && caller.admin
}

function requireSubscription({ subscriptionState }: Grid): void {
  if (subscriptionState === 'active' || subscriptionState === 'trial') return
  const detail = `The subscription of this Grid is ${subscriptionState}; this needs an active one or a trial.`
  throw new Problem('no-active-subscription', detail)
}

function requireRole(role: Role, needed: Role): void {
  if (ROLES.indexOf(role) <= ROLES.indexOf(needed)) return
  const detail = `Your role on this Grid is ${role}; this needs the role ${needed}${needed === 'Owner' ? '' : ' or a stronger one'}.`
  throw new Problem('insufficient-role', detail)
}

function requireScope(caller: Caller, scope: Scope): void {
  if (caller.kind !== 'key' || caller.scopes.includes(scope)) return
  throw new Problem('missing-scope', `This needs an API key with the scope ${scope}.`)
}
