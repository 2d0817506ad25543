import { fillWeek } from '../memory/fill-week.ts'
import { Asker } from '../query/ask.ts'
import { say } from '../report/progress.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { compactAll, telemetryFolder } from '../store/sealed-hours.ts'

const DAYS_KEPT = 30

/** Gives a running server as many full hours of the past, straight into the files of its store. */
export async function fillWeeks(server: MeasuredServer, hours: number, spansPerHour: number): Promise<void> {
  const asker = new Asker(server)
  const { gridId, dataFolder } = server
  await asker.send('PUT', `grids/${gridId}/retention`, { rawDays: DAYS_KEPT, aggregateDays: DAYS_KEPT })
  await asker.close()
  await server.stop()
  say(`writing ${hours} hours of files`)
  await fillWeek({ folder: telemetryFolder(dataFolder), gridId, hours, spansPerHour })
  say('compacting, as the server does when an hour is over')
  await compactAll(dataFolder)
  await server.start()
}
