import { randomUUID } from 'node:crypto'
import type { Selectable, Transaction } from 'kysely'
import { CHART_LIMITS, type Chart, type ChartSettings, type ChartType } from '../../domain/chart.ts'
import type { ChartStore } from '../chart-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'
import { inPortions } from './in-portions.ts'

type ChartRow = Selectable<ControlTables['charts']>

export function createCharts(db: ControlDatabase): ChartStore {
  const chartsOf = (gridId: string) => db.selectFrom('charts').where('grid_id', '=', gridId)

  return {
    async create(gridId, settings, nowMs) {
      const row = newChartRow(gridId, settings, nowMs)
      const made = db.transaction().execute(async (tx) => {
        await refuseTooMany(tx, gridId)
        await tx.insertInto('charts').values(row).execute()
      })
      await translatingConstraints('There is such a chart already.', made)
      return chartOf(row)
    },

    async find(gridId, id) {
      const row = await chartsOf(gridId).selectAll().where('id', '=', id).executeTakeFirst()
      return row && chartOf(row)
    },

    async findAll(gridId, ids) {
      const found: ChartRow[] = []
      await inPortions([...new Set(ids)], async (portion) => {
        found.push(...(await chartsOf(gridId).selectAll().where('id', 'in', portion).execute()))
      })
      return found.map(chartOf)
    },

    async list(gridId, { offset, limit }) {
      const counted = chartsOf(gridId).select(({ fn }) => fn.countAll<number>().as('count'))
      const { count } = await counted.executeTakeFirstOrThrow()
      const sorted = chartsOf(gridId).selectAll().orderBy('title').orderBy('created_at_ms').orderBy('id')
      const rows = await sorted.offset(offset).limit(limit).execute()
      return { items: rows.map(chartOf), totalCount: count }
    },

    async update(gridId, id, settings, nowMs) {
      const change = { ...settingsRow(settings), updated_at_ms: nowMs }
      const query = db.updateTable('charts').set(change).where('grid_id', '=', gridId).where('id', '=', id)
      const changed = query.returningAll().executeTakeFirst()
      const row = await translatingConstraints('There is such a chart already.', changed)
      return row && chartOf(row)
    },

    async remove(gridId, id) {
      const query = db.deleteFrom('charts').where('grid_id', '=', gridId).where('id', '=', id)
      return (await query.executeTakeFirst()).numDeletedRows > 0n
    },
  }
}

export function newChartRow(gridId: string, settings: ChartSettings, nowMs: number): ChartRow {
  return {
    id: randomUUID(),
    grid_id: gridId,
    ...settingsRow(settings),
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  }
}

async function refuseTooMany(tx: Transaction<ControlTables>, gridId: string): Promise<void> {
  const { chartsPerGridMax } = CHART_LIMITS
  const query = tx.selectFrom('charts').select(({ fn }) => fn.countAll<number>().as('count'))
  const { count } = await query.where('grid_id', '=', gridId).executeTakeFirstOrThrow()
  if (count >= chartsPerGridMax) throw new RecordRefused(`A Grid may have at most ${chartsPerGridMax} charts.`)
}

type SettingsRow = Omit<ChartRow, 'id' | 'grid_id' | 'created_at_ms' | 'updated_at_ms'>

function settingsRow(settings: ChartSettings): SettingsRow {
  return {
    title: settings.title,
    chart_type: settings.chartType,
    service_name: settings.serviceName,
    metrics: JSON.stringify(settings.metrics),
    filter: JSON.stringify(settings.filter),
    group_by: settings.groupBy,
    unit: settings.unit,
  }
}

function chartOf(row: ChartRow): Chart {
  return {
    id: row.id,
    gridId: row.grid_id,
    title: row.title,
    chartType: row.chart_type as ChartType,
    serviceName: row.service_name,
    metrics: JSON.parse(row.metrics),
    filter: JSON.parse(row.filter),
    groupBy: row.group_by,
    unit: row.unit,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}
