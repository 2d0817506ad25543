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

const FOLDER_CHANGES = ['mkdir', 'rename', 'rm', 'rmdir', 'truncate', 'writeFile']

/** `node:fs/promises` whose changes of folders are moments. */
export function observedFiles<Files extends object>(files: Files): Files {
  const changes = FOLDER_CHANGES.map((name) => {
    const act = files[name as keyof Files] as (...args: unknown[]) => Promise<unknown>
    return [name, (...args: unknown[]) => observed(`${name} ${String(args[0])}`, () => act(...args))]
  })
  return { ...files, ...Object.fromEntries(changes) }
}

/** Makes every statement of every session a moment; returns a function that undoes it. */
export function observeStatements(): () => void {
  const { run, transact } = Session.prototype
  Session.prototype.run = function (sql, parameters) {
    return observed(sql, () => run.call(this, sql, parameters))
  }
  Session.prototype.transact = function (...statements) {
    return observed(statements.join('; '), () => transact.apply(this, statements))
  }
  return () => Object.assign(Session.prototype, { run, transact })
}
