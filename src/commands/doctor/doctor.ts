/** `bindery doctor`: checks everything that a server needs, each part within a time limit, and says what to do. */
import type { Config } from '../../config.js'
import { asError } from '../../kernel/thrown.js'
import type { Outcome } from '../../start/operator/declaration.js'
import { type Check, type Finding, problem } from './check.js'
import { installationChecks } from './installation.js'
import { machineChecks } from './machine.js'
import { networkChecks } from './network.js'

/** Time limit of a check, in milliseconds. */
const CHECK_MS = 10_000

const allChecks: readonly Check[] = [...machineChecks, ...installationChecks, ...networkChecks]

/** Runs all checks, one after the other, because some measure the disk. */
export async function doctor(
  config: Config,
  tell: (progress: string) => void,
  checks: readonly Check[] = allChecks,
): Promise<Outcome> {
  const found: (Finding & { check: string })[] = []
  for (const check of checks) {
    tell(check.name)
    found.push({ check: check.name, ...(await runWithin(check, config)) })
  }
  const problems = found.filter(({ level }) => level === 'problem')
  const end =
    problems.length === 0
      ? 'Nothing needs to be done.'
      : `${problems.length} of ${found.length} checks found a problem.`
  return {
    text: [...found.map(lineOf), end].join('\n'),
    json: { checks: found, problems: problems.length },
    problems: problems.length > 0,
  }
}

const MARKS = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' }

const lineOf = ({ check, level, message, remedy }: Finding & { check: string }): string =>
  `${MARKS[level]}  ${check}: ${message}${remedy === undefined ? '' : `\n         To do: ${remedy}`}`

/** Runs a check. A check that fails or does not end is a problem. */
async function runWithin({ name, limitMs = CHECK_MS, run }: Check, config: Config): Promise<Finding> {
  const signal = AbortSignal.timeout(limitMs)
  const late = new Promise<Finding>((done) => {
    signal.addEventListener('abort', () =>
      done(
        problem(
          `no result after ${limitMs / 1000} seconds`,
          `Find out why the ${name} does not respond, then run the command again.`,
        ),
      ),
    )
  })
  const result = run(config, signal).catch((error: unknown) =>
    problem(asError(error).message, 'Remove the cause that the message names, then run the command again.'),
  )
  return Promise.race([result, late])
}
