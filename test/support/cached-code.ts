import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'
import { threadId } from 'node:worker_threads'

/**
 * Runs a bundle of CommonJS, in ASCII, with the code cache that V8 made of it when it was first run, kept beside it: most of what starting the
 * service costs is to compile it. Returns what the bundle exports.
 */
export function runCached(file: string): unknown {
  const cache = `${file}.cache`
  const cachedData = contentOf(cache)
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {\n${readFileSync(file, 'latin1').replace(/^#!/, '//')}\n})`,
    {
      filename: file,
      // So that lines are those of the file.
      lineOffset: -1,
      ...(cachedData === null ? {} : { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  )
  const module = { exports: {} as unknown }
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
  if (cachedData === null) {
    // Others may be doing the same.
    const own = `${cache}.${process.pid}.${threadId}`
    try {
      writeFileSync(own, script.createCachedData())
      renameSync(own, cache)
    } catch (error) {
      // A process of another user reads the code, and may not write next to it.
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
