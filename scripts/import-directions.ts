/** What one part of the server may import besides itself: other folders, or files of them. */
interface Part {
  may: string[]
  /** Imports no package either, neither Node's nor anyone's. */
  pure?: true
  /** Its subfolders are parts of their own, which it does not know. */
  hasBackends?: true
  message: string
}

/** Imports point one way. Tests are free to import anything, and so are the folders that put everything together: `cli`, `demo`, `start`. */
export const PARTS: Record<string, Part> = {
  config: { may: [], message: 'config imports nothing else of the server.' },
  domain: { may: [], pure: true, message: 'domain is pure: it imports nothing but domain.' },
  diagnostics: {
    may: ['domain', 'storage/*.ts'],
    pure: true,
    message: "diagnostics is pure: it imports domain and the types of storage's interfaces.",
  },
  charts: {
    may: ['domain', 'diagnostics', 'storage/*.ts'],
    pure: true,
    hasBackends: true,
    message: "charts is pure: it imports domain, figures of diagnostics, and the types of storage's interfaces.",
  },
  'charts/*': {
    may: ['domain', 'charts/*.ts'],
    message: 'Drawing imports its own folder, domain and what a chart is.',
  },
  storage: {
    may: ['domain'],
    hasBackends: true,
    message: "storage's interfaces import domain, and know no backend.",
  },
  'storage/*': {
    may: ['domain', 'storage/*.ts'],
    message: "A backend imports its own folder, domain and storage's interfaces.",
  },
  control: { may: ['domain'], hasBackends: true, message: "control's interface imports domain, and knows no backend." },
  'control/*': {
    may: ['domain', 'control/*.ts', 'control/migrations'],
    message: "A backend imports its own folder, domain, control's interface and its migrations.",
  },
  privacy: { may: ['domain'], message: 'privacy imports domain.' },
  ingest: {
    may: ['domain', 'privacy', 'storage/*.ts'],
    message: "ingest imports domain, privacy and storage's interfaces.",
  },
  identity: { may: ['domain', 'control/*.ts'], message: "identity imports domain and control's interface." },
  backup: {
    may: ['domain', 'storage/*.ts', 'control/*.ts'],
    message: 'backup imports domain, and the interfaces of storage and control.',
  },
  http: {
    may: ['domain', 'diagnostics', 'charts/*.ts', 'identity', 'backup', 'privacy', 'storage/*.ts', 'control/*.ts'],
    message:
      'http imports domain, diagnostics, charts, identity, backup, privacy, and the interfaces of storage and control, never a backend.',
  },
  receive: {
    may: ['domain', 'ingest', 'identity', 'control/*.ts'],
    message: "receive imports domain, ingest, identity and control's interface.",
  },
  watch: {
    may: ['domain', 'storage/*.ts', 'control/*.ts', 'diagnostics', 'privacy'],
    message: 'watch imports domain, diagnostics, privacy, and the interfaces of storage and control.',
  },
  notify: {
    may: ['domain', 'control/*.ts', 'diagnostics'],
    message: "notify imports domain, diagnostics and control's interface.",
  },
  'store-thread': {
    may: ['config', 'domain', 'ingest', 'storage'],
    message: 'store-thread hosts ingest and the store, and knows nothing of who asks.',
  },
}

export const FREE = ['cli', 'demo', 'start']

/** Tests, and what only they use. */
const TESTS = ['!**/*.test.ts', '!**/conformance/**', '!**/testing/**']

/** The same for Biome, which knows an import only as it is written: so there is a rule for each depth of folders. */
export function biomeOverrides(): object[] {
  return Object.entries(PARTS).flatMap(([folder, part]) => {
    const depths = part.hasBackends ? ['*.ts'] : ['*.ts', '*/*.ts', '*/*/**']
    return depths.map((files, depth) =>
      override(`server/${folder}/${files}`, patterns(folder, part, depth), part.message),
    )
  })
}

/** The last pattern that matches decides. */
function patterns(folder: string, part: Part, depth: number): string[] {
  const levels = folder.split('/').length + depth
  const toServer = '../'.repeat(levels)
  const otherBackends = `${'../'.repeat(levels - 1)}*/**`
  return [
    ...(part.pure ? ['**', '!:PATH:'] : []),
    ...(part.hasBackends ? ['./*/**'] : []),
    ...(folder.endsWith('/*') ? [otherBackends] : []),
    `${toServer}**`,
    ...part.may.flatMap((target) => spellings(target, folder, levels)).map((target) => `!${target}`),
  ]
}

/** A neighbour under the same folder is imported without naming that folder. */
function spellings(target: string, folder: string, levels: number): string[] {
  const whole = target.endsWith('.ts') ? target : `${target}/**`
  const family = `${folder.split('/')[0]}/`
  const beside = folder.endsWith('/*') && whole.startsWith(family) ? [whole.slice(family.length)] : []
  return ['../'.repeat(levels) + whole, ...beside.map((path) => '../'.repeat(levels - 1) + path)]
}

function override(files: string, group: string[], message: string): object {
  const noRestrictedImports = { level: 'error', options: { patterns: [{ group, message }] } }
  return { includes: [files, ...TESTS], linter: { rules: { style: { noRestrictedImports } } } }
}
