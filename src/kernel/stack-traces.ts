/** Names the sources in stack traces of the bundled server. */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The source maps of bundles that were in stack traces; null for a bundle without one. Bound: the bundles of a build. */
const maps = new Map<string, SourceMap | null>()

/**
 * Lets stack traces of this thread name the sources instead of the bundles below a folder. The source maps are read at
 * the first stack trace that needs them: `process.setSourceMapsEnabled` reads all of them at the start, which takes a
 * tenth of its time.
 * @param bundles the URL of the folder, with a slash at its end
 */
export function nameSources(bundles: string): void {
  Error.prepareStackTrace = (error, frames) =>
    [
      headOf(error),
      ...frames.map((frame) => {
        const bundle = frame.getFileName()
        return `    at ${bundle?.startsWith(bundles) ? sourceOf(String(frame), bundle) : String(frame)}`
      }),
    ].join('\n')
}

/** Returns the first line of a stack trace, with the code of errors of Node, as V8 and Node write it. */
function headOf(error: Error & { code?: unknown }): string {
  const text = Error.prototype.toString.call(error)
  const { name, code } = error
  return typeof code === 'string' && code.startsWith('ERR_') ? text.replace(name, () => `${name} [${code}]`) : text
}

/** Replaces the position in a bundle by the one in the source. Code of packages has no position in the source map. */
const sourceOf = (frame: string, bundle: string): string =>
  frame.replace(/(file:.*):(\d+):(\d+)/, (found, _url, line: string) => {
    const entry = mapOf(bundle)?.findEntry(Number(line) - 1, Number.MAX_SAFE_INTEGER)
    if (!entry || !('originalSource' in entry) || entry.generatedLine !== Number(line) - 1) return found
    return `${fileURLToPath(new URL(entry.originalSource, bundle))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })

function mapOf(bundle: string): SourceMap | null {
  let map = maps.get(bundle)
  if (map === undefined) {
    map = readMap(bundle)
    maps.set(bundle, map)
  }
  return map
}

function readMap(bundle: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(bundle)}.map`, 'utf8')))
  } catch {
    return null
  }
}
