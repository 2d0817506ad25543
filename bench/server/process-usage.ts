import { readdirSync, readFileSync } from 'node:fs'

const MICROSECONDS_PER_TICK = 10_000
const BYTES_PER_MB = 1_000_000

/** What a process has used until now, from the kernel's own books (Linux). */
export interface ProcessUsage {
  cpuUs: number
  rssMb: number
  /** The most it ever was. */
  rssMaxMb: number
}

export function usageOf(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuUs: cpuUsOf(`/proc/${pid}/stat`),
    rssMb: memoryMb(status, 'VmRSS'),
    rssMaxMb: memoryMb(status, 'VmHWM'),
  }
}

/** The threads of a process; the one that began it has the process' own id. */
export function threadsOf(pid: number): { id: number; cpuUs: number }[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return [{ id: Number(id), cpuUs: cpuUsOf(`/proc/${pid}/task/${id}/stat`) }]
    } catch {
      return [] // It ended meanwhile.
    }
  })
}

/** A name in brackets, which may itself contain spaces, comes first; user and system time are the 12th and 13th field behind it. */
function cpuUsOf(file: string): number {
  const text = readFileSync(file, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
}

function memoryMb(status: string, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  return (Number(kilobytes) * 1024) / BYTES_PER_MB
}
