import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { isMainThread, threadId } from 'node:worker_threads'

// V8 rejects code that was cached under other flags, so the flag of src/main.ts is set before the code is loaded.
if (isMainThread) setFlagsFromString('--no-allocation-site-pretenuring')

/** The processor time in milliseconds after which a server has started, and the interval at which it is read. */
const STARTED_MS = 1_000
const LOOK_MS = 500

/**
 * Runs a CommonJS bundle in ASCII with the V8 code cache of an earlier run, which is stored next to it. Compilation is
 * the largest part of the cost of starting the service. Returns the exports of the bundle.
 *
 * The first run stores what loading the bundle has compiled. The first server also stores what its start has compiled.
 */
export function runCached(file: string): unknown {
  const loaded = `${file}.${cachedDataVersionTag()}.cache`
  const started = `${loaded}.started`
  const cachedData = contentOf(started) ?? contentOf(loaded)
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {\n${readFileSync(file, 'latin1').replace(/^#!/, '//')}\n})`,
    {
      filename: file,
      // Keeps line numbers equal to those of the file.
      lineOffset: -1,
      ...(cachedData === null ? {} : { cachedData }),
    },
  )
  const module = { exports: {} as unknown }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  if (cachedData === null) store(script, loaded)
  if (isMainThread && process.argv.includes('serve') && !existsSync(started)) storeWhenStarted(script, started)
  return module.exports
}

function storeWhenStarted(script: Script, cache: string): void {
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage()
    if ((user + system) / 1_000 < STARTED_MS) return
    clearInterval(timer)
    if (!existsSync(cache)) store(script, cache)
  }, LOOK_MS).unref()
}

function store(script: Script, cache: string): void {
  // Other processes may do the same.
  const own = `${cache}.${process.pid}.${threadId}`
  try {
    writeFileSync(own, script.createCachedData())
    renameSync(own, cache)
  } catch (error) {
    // A process of another user can read the code but may not write next to it. The end of the run removes the folder.
    if (!['EACCES', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function contentOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}
