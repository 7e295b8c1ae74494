import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'
import { threadId } from 'node:worker_threads'

/**
 * Runs a CommonJS bundle in ASCII with the V8 code cache of its first run, which is stored next to it. Compilation is
 * the largest part of the cost of starting the service. Returns the exports of the bundle.
 */
export function runCached(file: string): unknown {
  const cache = `${file}.cache`
  const cachedData = contentOf(cache)
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {\n${readFileSync(file, 'latin1').replace(/^#!/, '//')}\n})`,
    {
      filename: file,
      // Keeps line numbers equal to those of the file.
      lineOffset: -1,
      ...(cachedData === null ? {} : { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  )
  const module = { exports: {} as unknown }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  if (cachedData === null) {
    // Other processes may do the same.
    const own = `${cache}.${process.pid}.${threadId}`
    try {
      writeFileSync(own, script.createCachedData())
      renameSync(own, cache)
    } catch (error) {
      // A process of another user can read the code but may not write next to it.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    }
  }
  return module.exports
}

function contentOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}
