/** The conversion tasks by name, for the thread pool. Options are sent as JSON. */
import { readDocx } from './docx.js'
import { readOutline } from './outline.js'
import { readPage } from './page.js'
import { readRobots } from './robots.js'
import { readSitemap } from './sitemap.js'
import { unpack } from './unpack.js'
import { decodeText } from './decode-text.js'
import { pack } from './container.js'

const json = <T>(text: unknown): T => JSON.parse(String(text))
/** Declared as a method, so that a task may declare which of its arguments are texts and which are files. */
type Task = { run(...args: (string | Uint8Array)[]): Uint8Array | Promise<Uint8Array> }['run']

/** The table of tasks: a file and options in, facts and files out (`container.ts`). */
export const tasks: Readonly<Record<string, Task>> = {
  page: (file: Uint8Array, options) => readPage(file, json(options)),
  docx: (file: Uint8Array, options, limits) => readDocx(file, json(options), json(limits)),
  unpack: (file: Uint8Array, limits) => unpack(file, json(limits)),
  sitemap: (file: Uint8Array) => readSitemap(file),
  robots: (text, url, page) => readRobots(String(text), String(url), String(page)),
  outline: (file: Uint8Array, url) => readOutline(file, String(url)),
  /** Returns a text as UTF-8. */
  text: (file: Uint8Array, contentType) =>
    pack({}, [{ name: '', content: Buffer.from(decodeText(file, String(contentType))) }]),
}
