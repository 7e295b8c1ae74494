/** The Chromium inside the package @sparticuz/chromium, which is compressed there: unpacked once. */
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

const NAME = '@sparticuz/chromium'

/** The unpacked program, and the libraries that come with it for machines that lack them. */
interface Packaged {
  path: string
  libraries: string
}

/** Unpacks it, beside the package or else into `folder`; null if the package is not installed, or is for another kind of machine. */
export async function unpackChromium(folder: string): Promise<Packaged | null> {
  const found = findPackage()
  if (!found) return null
  for (const parent of [join(found.dir, '..', '..', '.cache'), folder]) {
    try {
      return await unpackInto(join(parent, `bindery-chromium-${found.version}`), found.dir)
    } catch (error) {
      // Packages may belong to somebody else: then the data folder takes it.
      if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return null
}

/** Whether it is installed, on a machine that it is for. */
export const hasPackage = (): boolean => findPackage() !== null

function findPackage(): { dir: string; version: string } | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const require = createRequire(import.meta.url)
  for (const place of require.resolve.paths(NAME) ?? []) {
    const file = join(place, NAME, 'package.json')
    if (existsSync(file))
      return { dir: dirname(file), version: (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version }
  }
  return null
}

async function unpackInto(target: string, from: string): Promise<Packaged> {
  const made = { path: join(target, 'chromium'), libraries: join(target, 'lib') }
  if (existsSync(made.path)) return made
  // Under another name until it is whole.
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
  return made
}

const inflate = (from: string, to: string, mode: number): Promise<void> =>
  pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode }))
