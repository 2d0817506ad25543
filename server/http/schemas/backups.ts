import Type from 'typebox'
import { datetimeOut, fields, integer, orNull, text } from './values.ts'

export const newBackup = fields({
  folder: text(
    "An absolute path on the server's machine, outside its data folder: one that is not there yet, an empty folder, or that of an earlier backup, of which what has not changed is not copied again.",
    4096,
  ),
})

export const backup = fields({
  id: Type.String(),
  folder: Type.String(),
  state: Type.Enum(['running', 'done', 'failed']),
  reason: orNull(Type.String({ description: 'Why it failed.' })),
  startedAt: datetimeOut(),
  finishedAt: orNull(datetimeOut()),
  files: integer('All that the backup consists of, as far as is known by now.', 0),
  bytes: integer('Of these files.', 0),
  filesCopied: integer('How many had to be copied.', 0),
  bytesCopied: integer('Of these files.', 0),
  bytesKept: integer('Of files that an earlier backup had copied already. Known at the end.', 0),
})

export const backupId = Type.String({ description: 'As the answer to making it said.' })
