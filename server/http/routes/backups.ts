import type { Static } from 'typebox'
import type { Backup, Backups } from '../../backup/backups.ts'
import { ADMINISTERS } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { isoOfMs } from '../management-answers.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/backups.ts'

const ALL = '/apm/backups'
const ADMINISTERING = { tag: 'Backups', access: ADMINISTERS, response: schemas.backup } as const

export function registerBackups({ onPlatform }: Routes, backups: Pick<Backups, 'start' | 'find'>): void {
  onPlatform(
    {
      ...ADMINISTERING,
      method: 'POST',
      path: ALL,
      summary: 'Begin a backup',
      description:
        'Writes telemetry and control data to a folder, in the background. Everything that was acknowledged before is in it. An earlier backup in the folder stays whole until this one is done.',
      body: schemas.newBackup,
      created: true,
      problems: ['backup-under-way', 'unusable-folder'],
    },
    async ({ body: { folder } }) => backupAnswer(await backups.start(folder)),
  )

  onPlatform(
    {
      ...ADMINISTERING,
      method: 'GET',
      path: `${ALL}/{backupId}`,
      params: { backupId: schemas.backupId },
      summary: 'See how far a backup is',
      problems: ['unknown-backup'],
    },
    async ({ params: { backupId } }) => {
      const backup = backups.find(backupId)
      if (!backup) throw new Problem('unknown-backup', 'This server has made no such backup since it was started.')
      return backupAnswer(backup)
    },
  )
}

function backupAnswer({ startedAtMs, finishedAtMs, ...backup }: Backup): Static<typeof schemas.backup> {
  const finishedAt = finishedAtMs === null ? null : isoOfMs(finishedAtMs)
  return { ...backup, startedAt: isoOfMs(startedAtMs), finishedAt }
}
