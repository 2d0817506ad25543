import { type Explanation, type Inquiry, saturationsOf, shareOfVotes } from './inquiry.ts'
import { firstMissingTarget } from './missing-call.ts'
import { slowestDependency } from './slow-dependency.ts'
import { failureLine, saturationLine } from './wording.ts'

/** What a message calls the pool, in the words of common libraries. */
const POOL_NAMES = [/^([\w.-]+) - Connection is not available/, /acquire from ([\w.-]+)/, /connection pool ([\w.-]+)/i]

/** Requests fail for want of a connection, or wait while a pool is full. */
export function connectionPoolExhaustion(inquiry: Inquiry): Explanation | undefined {
  const { votes } = inquiry.suspect
  const failed = votes.filter(({ failure }) => failure?.class === 'pool')
  const waiting = shareOfVotes(inquiry, ({ place, by }) => place.at === 'inside' && by === 'time')
  const [full] = saturationsOf(inquiry, 'connection_pool')
  if (failed.length < 0.3 * votes.length && !(full && waiting >= 0.4)) return undefined
  // A pool also runs dry when every connection is held longer: then the database is the cause.
  const isHeldLonger = slowestDependency(inquiry) !== undefined
  const sure = failed.length > 0 ? 0.88 : 0.72
  return {
    cause: 'connectionPoolExhaustion',
    detail:
      full?.resource || poolNameIn(failed.map(({ failure }) => failure?.message ?? '')) || firstMissingTarget(inquiry),
    strength: isHeldLonger ? 0.55 : sure,
    evidence: [failureLine(failed, votes.length), full ? saturationLine(full) : ''].filter(Boolean),
    mayFollow: isHeldLonger,
  }
}

function poolNameIn(messages: string[]): string {
  for (const message of messages) {
    const name = POOL_NAMES.map((words) => words.exec(message)?.[1]).find(Boolean)
    if (name) return name
  }
  return ''
}
