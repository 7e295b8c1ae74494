/** Finds a Chromium that prints on this machine, and the safest way to start it that works here. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Engine } from './order.js'
import { hasPackage, unpackChromium } from './packaged.js'
import { runProcess } from './run-process.js'

/** What to install, for messages. */
export const PACKAGE = 'chromium-headless-shell (or chromium)'

const COMMANDS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const PROBE_MS = 60_000
/** User and group `nobody`. */
const NOBODY = '65534'

type Candidate = Omit<Engine, 'version'>

/**
 * Tries the Chromium of the setting, else those of the system, which its updates keep safe, else the one of the package. Each is
 * tried without network, as another user (if this one is root) and with its sandbox, then with less. Null if none prints.
 */
export async function findEngine(setting: string | null, folder: string, signal: AbortSignal): Promise<Engine | null> {
  for (const path of setting === null ? systemOnes() : [setting]) {
    const found = await firstThatPrints(ways(path), signal)
    if (found) return found
  }
  const packaged = setting === null ? await unpackChromium(folder) : null
  if (!packaged) return null
  const plain = ways(packaged.path)
  return (
    (await firstThatPrints(plain, signal)) ??
    (await firstThatPrints(
      plain.map((way) => ({ ...way, libraries: packaged.libraries })),
      signal,
    ))
  )
}

/** Whether there is any Chromium to be tried, without starting one. */
export const mayHaveEngine = (setting: string | null): boolean =>
  setting !== null || systemOnes().length > 0 || hasPackage()

function systemOnes(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)).find(isProgram) ?? [])
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The ways to start a program, the safest first. */
function ways(path: string): Candidate[] {
  const root = process.getuid?.() === 0
  const other = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--pdeathsig=KILL', '--']
  const offline = root ? ['unshare', '--net', '--'] : ['unshare', '--user', '--net', '--']
  const prefixes = root ? [[...offline, ...other], other] : [offline, []]
  const tried = [
    ...prefixes.map((prefix) => ({ path, prefix, sandbox: true })),
    ...prefixes.map((prefix) => ({ path, prefix, sandbox: false })),
  ]
  return root ? [...tried, { path, prefix: [], sandbox: false }] : tried
}

async function firstThatPrints(candidates: readonly Candidate[], signal: AbortSignal): Promise<Engine | null> {
  for (const candidate of candidates) {
    try {
      const { version } = await runProcess<{ version: string }>(['probe', JSON.stringify(candidate)], {
        deadlineMs: PROBE_MS,
        signal,
      })
      return { ...candidate, version }
    } catch (error) {
      if (signal.aborted) throw error
      // The next way may work.
    }
  }
  return null
}
