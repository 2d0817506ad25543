import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Session } from '../engine/session.ts'

/** The moments of a store's life at which it might be killed: after each statement and each change of a folder. */
type Observer = (moment: string) => void

let observer: Observer | undefined

/** One at a time; none ends the observation. */
export function observeMoments(next: Observer | undefined): void {
  observer = next
}

async function observed<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  const result = await act()
  observer?.(`after ${name}`)
  return result
}

const FOLDER_CHANGES = ['mkdir', 'rename', 'rm', 'rmdir', 'truncate', 'writeFile'] as const

/** Makes every statement of every session and every change of a folder a moment; returns a function that undoes it. */
export function observeActs(): () => void {
  const undo = [observeStatements(), observeFolders()]
  return () => {
    for (const each of undo) each()
  }
}

function observeStatements(): () => void {
  const { run, transact } = Session.prototype
  Session.prototype.run = function (sql, parameters) {
    return observed(sql, () => run.call(this, sql, parameters))
  }
  Session.prototype.transact = function (...statements) {
    return observed(statements.join('; '), () => transact.apply(this, statements))
  }
  return () => Object.assign(Session.prototype, { run, transact })
}

/** The module itself is changed: a mock of it would not reach a program that another test file has loaded before. */
function observeFolders(): () => void {
  const original = { ...files }
  for (const name of FOLDER_CHANGES) {
    const act = original[name] as (...args: unknown[]) => Promise<unknown>
    Object.assign(files, {
      [name]: (...args: unknown[]) => observed(`${name} ${String(args[0])}`, () => act(...args)),
    })
  }
  syncBuiltinESMExports()
  return () => {
    Object.assign(files, original)
    syncBuiltinESMExports()
  }
}
