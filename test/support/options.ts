/** The arguments and variables of a test run, and the command that repeats it. */

export interface Options {
  /** Words of paths: only test files with one of them are run. Empty means all. */
  wanted: readonly string[]
  /** Lists the cost of each file at the end. */
  costs: boolean
  /** Runs the files in an order derived from this number. Null means the slowest first. */
  shuffle: number | null
}

const randomNumber = (): number => Math.floor(Math.random() * 1e9)

const COARSE_MS = 200
const KNOWN = /^--(?:costs|coarse-clock|shuffle(?:=\d+)?)$/

/**
 * Reads the arguments and puts the options for test processes into their environment. Throws if an option is unknown.
 */
export function optionsOf(args: readonly string[]): Options {
  const options = args.filter((one) => one.startsWith('--'))
  const unknown = options.find((one) => !KNOWN.test(one))
  if (unknown !== undefined)
    throw new Error(`${unknown} is unknown; there are --costs, --coarse-clock, --shuffle and --shuffle=<number>`)
  const shuffle = options.find((one) => one.startsWith('--shuffle'))
  if (options.includes('--coarse-clock')) process.env['COARSE_CLOCK_MS'] ??= String(COARSE_MS)
  if (process.env['FC_SEED'] === 'random') process.env['FC_SEED'] = String(randomNumber())
  return {
    wanted: args.filter((one) => !one.startsWith('--')),
    costs: options.includes('--costs'),
    shuffle: shuffle === undefined ? null : Number(shuffle.split('=')[1] ?? randomNumber()),
  }
}

/** The command that runs one file in the same way as this run. */
export function toRepeat(name: string): string {
  const { FC_SEED, COARSE_CLOCK_MS, SOAK } = process.env
  const seed = FC_SEED === undefined ? '' : `FC_SEED=${FC_SEED} `
  if (SOAK !== undefined) return `scripts/soak ${name.replace('.test.ts', '')} ${SOAK} ${FC_SEED ?? ''}`.trim()
  return `${seed}npm test -- ${COARSE_CLOCK_MS === undefined ? '' : '--coarse-clock '}${name.replace('.test.ts', '')}`
}

/** Sorts the items in an order that the number determines. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const all = [...items]
  let state = seed
  for (let left = all.length; left > 1; left--) {
    // A linear congruential generator: a number gives the same order on every machine.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const at = Math.floor((state / 2 ** 32) * left)
    ;[all[left - 1], all[at]] = [all[at] as T, all[left - 1] as T]
  }
  return all
}
