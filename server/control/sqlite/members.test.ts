import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'

let control: ControlStoreWithAuthority
let gridId: string

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
})
afterEach(() => control.close())

it('adds a member, and changes the role of one who is there', async () => {
  const added = await control.members.put({ gridId, subject: 'ann', role: 'Guest' })
  expect(added).toMatchObject({ gridId, subject: 'ann', role: 'Guest' })
  const changed = await control.members.put({ gridId, subject: 'ann', role: 'Member' })
  expect(changed).toEqual({ ...added, role: 'Member' })
  expect(await control.members.list(gridId)).toEqual([changed])
})

it('gives the strongest role of all the names', async () => {
  await control.members.put({ gridId, subject: 'ann', role: 'Guest' })
  await control.members.put({ gridId, subject: 'ann@example.com', role: 'Member' })
  expect(await control.members.roleOf(gridId, ['ann'])).toBe('Guest')
  expect(await control.members.roleOf(gridId, ['ann', 'ann@example.com'])).toBe('Member')
  expect(await control.members.roleOf(gridId, ['bob'])).toBeUndefined()
  expect(await control.members.roleOf(gridId, [])).toBeUndefined()
})

it('has no role on another Grid', async () => {
  const other = (await control.grids.create({ name: 'Other' })).id
  await control.members.put({ gridId, subject: 'ann', role: 'Owner' })
  expect(await control.members.roleOf(other, ['ann'])).toBeUndefined()
  expect((await control.members.listGridsOf(['ann'])).map((member) => member.gridId)).toEqual([gridId])
})

it('takes an address in any letter case, and other subjects exactly', async () => {
  await control.members.put({ gridId, subject: 'Ann@Example.com', role: 'User' })
  await control.members.put({ gridId, subject: 'AbC', role: 'User' })
  expect(await control.members.roleOf(gridId, ['ann@EXAMPLE.com'])).toBe('User')
  expect(await control.members.roleOf(gridId, ['abc'])).toBeUndefined()
})

it('removes a member', async () => {
  await control.members.put({ gridId, subject: 'ann', role: 'User' })
  expect(await control.members.remove(gridId, 'ann')).toBe(true)
  expect(await control.members.remove(gridId, 'ann')).toBe(false)
  expect(await control.members.roleOf(gridId, ['ann'])).toBeUndefined()
  expect(await control.members.listGridsOf(['ann'])).toEqual([])
})

it('refuses a Grid that does not exist, a role that does not exist, and a subject without end', async () => {
  const gone = '00000000-0000-4000-8000-000000000000'
  await expect(control.members.put({ gridId: gone, subject: 'ann', role: 'User' })).rejects.toThrow(RecordRefused)
  await expect(control.members.put({ gridId, subject: 'ann', role: 'Boss' as 'Owner' })).rejects.toThrow(RecordRefused)
  await expect(control.members.put({ gridId, subject: 'x'.repeat(256), role: 'User' })).rejects.toThrow(RecordRefused)
})
