import type { Session } from '../engine/session.ts'
import type { DayFiles } from './day-files.ts'
import { rollRequests } from './roll-requests.ts'
import { dayOf, RolledDays } from './rolled-days.ts'

/** An hour of more operations is one that makes up names for them, and is read as it is. */
const OPERATIONS_MAX = 20_000

/** The requests and calls of hours that are over. */
export class RolledRequests extends RolledDays {
  constructor(files: DayFiles, session: Session) {
    super('requests', files, session)
  }

  async roll(session: Session, gridId: string, hour: number, hourAlias: string): Promise<void> {
    const counted = await session.numbers(
      `SELECT count(DISTINCT (service_no, operation_no))::DOUBLE FROM ${hourAlias}.minute_requests`,
    )
    if ((counted.column(0)[0] as number) > OPERATIONS_MAX) this.leaveOut(gridId, hour)
    else await this.rollInto(session, gridId, hour, (dayAlias) => rollRequests(session, hourAlias, dayAlias, hour))
  }

  /** The day of an hour whose records are being deleted may have their names. It is made anew. */
  async forgetDayOf(gridId: string, hour: number): Promise<void> {
    const file = this.files.find(gridId, 'requests', dayOf(hour))
    if (file) await this.files.remove(file)
  }
}
