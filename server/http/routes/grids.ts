import type { TSchema } from 'typebox'
import { type ControlStore, type Grid, type GridSettings, ROLES, type Role } from '../../control/control-store.ts'
import type { Caller } from '../../identity/caller.ts'
import type { TelemetryStore } from '../../storage/telemetry-store.ts'
import { ADMINISTERS, isAdministrator, MANAGES_GRID, SEES_GRID, SIGNED_IN } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { gridAnswer, listAnswer } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/management.ts'

const ONE = '/apm/grids/{gridSecondaryId}'

export function registerGrids(
  routes: Routes,
  control: ControlStore,
  telemetry: Pick<TelemetryStore, 'setApdex'>,
  removals: { finish(): Promise<void> },
): void {
  const { onGrid, onPlatform } = routes

  onPlatform(
    {
      tag: 'Grids',
      access: SIGNED_IN,
      method: 'GET',
      path: '/apm/grids',
      summary: 'List Grids',
      description: 'Those on which the caller has a role; for an administrator, all.',
      response: schemas.listOf(schemas.grid),
    },
    async ({ caller }) => listAnswer((await gridsOf(control, caller)).map(({ grid, role }) => gridAnswer(grid, role))),
  )

  onPlatform(
    {
      tag: 'Grids',
      access: ADMINISTERS,
      method: 'POST',
      path: '/apm/grids',
      summary: 'Create a Grid',
      body: schemas.newGrid,
      response: schemas.grid,
      created: true,
      problems: ['already-exists'],
    },
    async ({ body: { name, gridSecondaryId } }) => {
      const id = gridSecondaryId === undefined ? {} : { id: gridSecondaryId.toLowerCase() }
      return gridAnswer(await control.grids.create({ name, ...id }), 'Owner')
    },
  )

  onGrid(
    { tag: 'Grids', access: SEES_GRID, method: 'GET', path: ONE, summary: 'Get a Grid', response: schemas.grid },
    async ({ grid, role }) => gridAnswer(grid, role),
  )

  onGrid(
    {
      tag: 'Grids',
      access: MANAGES_GRID,
      method: 'DELETE',
      path: ONE,
      summary: 'Remove a Grid',
      description:
        'With its telemetry, keys, members, rules, alerts, channels, charts and dashboards. Nothing is taken or answered for it from then on; its telemetry leaves the disk within moments, also where the server is restarted meanwhile. Its id is not given again. Who changed what on it stays in the audit of the server.',
      response: null,
    },
    async ({ grid, nowMs }) => {
      if (!(await control.grids.remove(grid.id, nowMs))) throw new Problem('unknown-grid', 'There is no such Grid.')
      void removals.finish()
    },
  )

  registerSettings(routes, control, telemetry)
}

function registerSettings(
  { onGrid }: Routes,
  control: ControlStore,
  telemetry: Pick<TelemetryStore, 'setApdex'>,
): void {
  const setting = <B extends TSchema>(path: string, summary: string, body: B) =>
    ({
      tag: 'Grids',
      access: MANAGES_GRID,
      method: 'PUT',
      path: `${ONE}${path}`,
      summary,
      body,
      response: schemas.grid,
    }) as const

  const update = async (grid: Grid, role: Role, settings: Partial<GridSettings>) => {
    const updated = await control.grids.update(grid.id, settings)
    if (!updated) throw new Problem('unknown-grid', 'There is no such Grid.')
    return gridAnswer(updated, role)
  }

  onGrid(setting('', 'Rename a Grid', schemas.gridName), ({ grid, role, body: { name } }) =>
    update(grid, role, { name }),
  )
  onGrid(
    setting('/subscription', 'Set the subscription', schemas.gridSettings.subscription),
    ({ grid, role, body: { plan, state } }) => update(grid, role, { plan, subscriptionState: state }),
  )
  onGrid(
    setting('/retention', 'Set the retention', schemas.gridSettings.retention),
    ({ grid, role, body: { rawDays, aggregateDays, diskSharePercent } }) =>
      update(grid, role, {
        rawRetentionDays: rawDays,
        aggregateRetentionDays: aggregateDays,
        ...(diskSharePercent !== undefined && { diskSharePercent }),
      }),
  )
  onGrid(setting('/limits', 'Set the limits', schemas.gridSettings.limits), ({ grid, role, body }) =>
    update(grid, role, {
      rateLimitCaller: body.requestsPerMinuteCaller,
      rateLimitGrid: body.requestsPerMinuteGrid,
      ingestQuota: body.recordsPerSecond,
    }),
  )
  onGrid(
    setting('/apdex', 'Set the Apdex thresholds', schemas.gridSettings.apdex),
    async ({ grid, role, body: { defaultMs, services } }) => {
      const apdex = { defaultMs, byService: services }
      const answer = await update(grid, role, { apdex })
      await telemetry.setApdex(grid.id, apdex)
      return answer
    },
  )
}

interface GridWithRole {
  grid: Grid
  role: Role
}

async function gridsOf(control: ControlStore, caller: Caller): Promise<GridWithRole[]> {
  if (isAdministrator(caller)) return (await control.grids.list()).map((grid) => ({ grid, role: 'Owner' as const }))
  const roles =
    caller.kind === 'key' ? new Map([[caller.gridId, caller.role]]) : await rolesOf(control, caller.subjects)
  const found = await Promise.all(
    [...roles].map(async ([gridId, role]) => ({ grid: await control.grids.find(gridId), role })),
  )
  return found.flatMap(({ grid, role }) => (grid ? [{ grid, role }] : []))
}

/** The strongest role on each Grid, where a person has several names. */
async function rolesOf(control: ControlStore, subjects: string[]): Promise<Map<string, Role>> {
  const roles = new Map<string, Role>()
  for (const { gridId, role } of await control.members.listGridsOf(subjects)) {
    const known = roles.get(gridId)
    if (!known || ROLES.indexOf(role) < ROLES.indexOf(known)) roles.set(gridId, role)
  }
  return roles
}
