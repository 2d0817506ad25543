import type { Command } from 'commander'
import { addApiCommand } from '../api-command.ts'
import type { Shell } from '../shell.ts'
import { alerts } from './alerts.ts'
import { changes } from './changes.ts'
import { compare } from './compare.ts'
import { diagnosis } from './diagnosis.ts'
import { health } from './health.ts'
import { log, logFilters, logPatterns, logs } from './logs.ts'
import { pressure } from './pressure.ts'
import { search } from './search.ts'
import { service } from './service.ts'
import { services } from './services.ts'
import { slowestEndpoints } from './slowest-endpoints.ts'
import { span, spanEvents, spanTags } from './span.ts'
import { timeline } from './timeline.ts'
import { filters, trace, traceErrors, traceLogs } from './trace.ts'
import { trends } from './trends.ts'

/** One command for each question that the API answers. */
export function addQueryCommands(program: Command, shell: Shell): void {
  const query = program.command('query').description('ask about telemetry')
  addApiCommand(query, shell, health)
  addApiCommand(query, shell, timeline)
  addApiCommand(query, shell, changes)
  addApiCommand(query, shell, diagnosis)
  addApiCommand(query, shell, pressure)
  addApiCommand(query, shell, alerts)
  addApiCommand(query, shell, trends)
  addApiCommand(query, shell, services)
  addApiCommand(query, shell, service)
  addApiCommand(query, shell, slowestEndpoints)
  addApiCommand(query, shell, compare)
  addApiCommand(query, shell, search)
  addApiCommand(query, shell, trace)
  addApiCommand(query, shell, traceLogs)
  addApiCommand(query, shell, traceErrors)
  addApiCommand(query, shell, span)
  addApiCommand(query, shell, spanTags)
  addApiCommand(query, shell, spanEvents)
  addApiCommand(query, shell, filters)
  addApiCommand(query, shell, logs)
  addApiCommand(query, shell, log)
  addApiCommand(query, shell, logPatterns)
  addApiCommand(query, shell, logFilters)
}
