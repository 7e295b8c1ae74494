/** Finds a Chromium that prints on this machine, and the safest way to start it. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Engine } from './order.js'
import { hasPackage, unpackChromium } from './packaged.js'
import { runProcess } from './run-process.js'

/** The packages to install, for messages. */
export const PACKAGE = 'chromium-headless-shell (or chromium)'

const COMMANDS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const PROBE_MS = 60_000
/** User and group ID of `nobody`. */
const NOBODY = '65534'

type Candidate = Omit<Engine, 'version'>

/**
 * Tries the configured Chromium. If none is configured, tries those of the system, which receive security updates, and
 * then the packaged one. Each is tried without network, as another user (if this process is root) and with its sandbox,
 * then with fewer restrictions. Returns null if none prints.
 */
export async function findEngine(setting: string | null, folder: string, signal: AbortSignal): Promise<Engine | null> {
  for (const path of setting === null ? systemBrowsers() : [setting]) {
    const found = await firstThatPrints(startModes(path), signal)
    if (found) return found
  }
  const packaged = setting === null ? await unpackChromium(folder) : null
  if (!packaged) return null
  const plain = startModes(packaged.path)
  return (
    (await firstThatPrints(plain, signal)) ??
    (await firstThatPrints(
      plain.map((mode) => ({ ...mode, libraries: packaged.libraries })),
      signal,
    ))
  )
}

/** Whether there is a Chromium to try, without starting one. */
export const mayHaveEngine = (setting: string | null): boolean =>
  setting !== null || systemBrowsers().length > 0 || hasPackage()

function systemBrowsers(): string[] {
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

/** Returns the ways to start a program, the safest first. */
function startModes(path: string): Candidate[] {
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
