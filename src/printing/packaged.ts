/** Unpacks the compressed Chromium of the package @sparticuz/chromium once. */
import { errorCode } from '../kernel/thrown.js'
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

const NAME = '@sparticuz/chromium'

/** The unpacked program, and its libraries for machines on which they are missing. */
interface Packaged {
  path: string
  libraries: string
}

/**
 * Unpacks it next to the package, or else into `folder`. Returns null if the package is not installed or does not
 * support this machine.
 */
export async function unpackChromium(folder: string): Promise<Packaged | null> {
  const found = findPackage()
  if (!found) return null
  for (const parent of [join(found.dir, '..', '..', '.cache'), folder]) {
    try {
      return await unpackInto(join(parent, `bindery-chromium-${found.version}`), found.dir)
    } catch (error) {
      // The packages may belong to another user. Then use the data folder.
      if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error
    }
  }
  return null
}

/** Whether the package is installed and supports this machine. */
export const hasPackage = (): boolean => findPackage() !== null

function findPackage(): { dir: string; version: string } | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const require = createRequire(import.meta.url)
  for (const place of require.resolve.paths(NAME) ?? []) {
    const file = join(place, NAME, 'package.json')
    if (!existsSync(file)) continue
    const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'))
    return { dir: dirname(file), version }
  }
  return null
}

async function unpackInto(target: string, from: string): Promise<Packaged> {
  const unpacked = { path: join(target, 'chromium'), libraries: join(target, 'lib') }
  if (existsSync(unpacked.path)) return unpacked
  // Use a temporary name until it is complete.
  const part = `${target}.${process.pid}`
  mkdirSync(part, { recursive: true, mode: 0o755 })
  try {
    await inflate(join(from, 'bin', 'chromium.br'), join(part, 'chromium'), 0o755)
    await inflate(join(from, 'bin', 'al2023.tar.br'), join(part, 'al2023.tar'), 0o644)
    await promisify(execFile)('tar', ['-x', '--no-same-owner', '-f', join(part, 'al2023.tar'), '-C', part], {
      timeout: 60_000,
    })
    rmSync(join(part, 'al2023.tar'))
    if (!existsSync(target)) renameSync(part, target)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
  return unpacked
}

const inflate = (from: string, to: string, mode: number): Promise<void> =>
  pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode }))
