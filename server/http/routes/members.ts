import type { ControlStore } from '../../control/control-store.ts'
import { MANAGES_GRID } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { listAnswer, memberAnswer } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/management.ts'

const ALL = '/apm/grids/{gridSecondaryId}/members'
const MANAGING = { tag: 'Members', access: MANAGES_GRID } as const
const OF_MEMBER = { ...MANAGING, path: `${ALL}/{subject}`, params: { subject: schemas.memberSubject } }

export function registerMembers({ onGrid }: Routes, { members }: ControlStore): void {
  onGrid(
    { ...MANAGING, method: 'GET', path: ALL, summary: 'List members', response: schemas.listOf(schemas.member) },
    async ({ grid }) => listAnswer((await members.list(grid.id)).map(memberAnswer)),
  )

  onGrid(
    {
      ...OF_MEMBER,
      method: 'PUT',
      summary: 'Add a member or change its role',
      description: 'An e-mail address invites whoever proves to own it.',
      body: schemas.memberRole,
      response: schemas.member,
    },
    async ({ grid, params: { subject }, body: { role } }) =>
      memberAnswer(await members.put({ gridId: grid.id, subject, role })),
  )

  onGrid(
    { ...OF_MEMBER, method: 'DELETE', summary: 'Remove a member', response: null, problems: ['unknown-member'] },
    async ({ grid, params: { subject } }) => {
      if (!(await members.remove(grid.id, subject))) {
        throw new Problem('unknown-member', 'This Grid has no such member.')
      }
    },
  )
}
