import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The cost of a test file: processor time of its process and its children, and elapsed time. */
export interface Cost {
  name: string
  processorMs: number | null
  wallMs: number
}

const MS_PER_TICK = 10

interface ProcessTimes {
  parent: number
  /** Its own time, and that of the children that it has waited for. */
  ms: number
}

function timesOf(pid: string): ProcessTimes | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      parent: Number(fields[1]),
      ms: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0),
    }
  } catch {
    // it has just ended
    return null
  }
}

/**
 * Processor time of this process and all its descendants until now, in milliseconds, or null if the system does not
 * report it.
 */
export function processorMs(): number | null {
  const pids = existsSync('/proc/self/stat') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  const all = new Map<number, ProcessTimes>()
  for (const pid of pids) {
    const times = timesOf(pid)
    if (times) all.set(Number(pid), times)
  }
  const below = (pid: number): number =>
    [...all].reduce((sum, [one, { parent }]) => (parent === pid ? sum + below(one) : sum), all.get(pid)?.ms ?? 0)
  return all.has(process.pid) ? below(process.pid) : null
}

/** Processor time in milliseconds of the files of a printed list of costs, by name. */
export const ledgerOf = (printed: string): Map<string, number> =>
  new Map(
    [...printed.matchAll(/^ *([\d.]+) s +[\d.]+ s +(\S+\.test\.ts)$/gm)].map(([, s, name]) => [
      name ?? '',
      Number(s) * 1000,
    ]),
  )

/** With fewer files than this in common with the ledger, a run cannot tell how fast its machine is. */
const MIN_COMPARED = 20

/**
 * How much slower this run is than the one of the ledger: the median of the ratios of the files that both have, and at
 * least 1. Null if the run has too few of these files. A limit times this number does not depend on the machine.
 */
export function slowness(costs: readonly Cost[], ledger: ReadonlyMap<string, number>): number | null {
  const ratios = costs
    .flatMap(({ name, processorMs: ms }) => {
      const usual = ledger.get(name)
      return ms === null || usual === undefined ? [] : [ms / usual]
    })
    .sort((a, b) => a - b)
  return ratios.length < MIN_COMPARED ? null : Math.max(1, ratios[Math.floor(ratios.length / 2)] ?? 1)
}

/** On the line of a file. */
export const told = ({ processorMs: ms, wallMs }: Cost): string =>
  `${seconds(wallMs).trim()}${ms === null ? '' : `, ${seconds(ms).trim()} of processor`}`

/** The most expensive files, and the total of all files. */
export function printCosts(costs: readonly Cost[]): void {
  const total = (of: (cost: Cost) => number): number => costs.reduce((sum, cost) => sum + of(cost), 0)
  const line = (name: string, processor: number, wall: number): string =>
    `${seconds(processor)} ${seconds(wall)}  ${name}`
  console.log('\nprocessor  by clock')
  for (const { name, processorMs: ms, wallMs } of [...costs].sort(
    (a, b) => (b.processorMs ?? b.wallMs) - (a.processorMs ?? a.wallMs),
  ))
    console.log(line(name, ms ?? 0, wallMs))
  console.log(
    line(
      'all files',
      total((cost) => cost.processorMs ?? 0),
      total((cost) => cost.wallMs),
    ),
  )
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`.padStart(9)
