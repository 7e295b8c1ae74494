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
type Task = (...args: (string | Uint8Array)[]) => Uint8Array | Promise<Uint8Array>

/** The table of tasks: a file and options in, facts and files out (`container.ts`). */
export const tasks: Readonly<Record<string, Task>> = {
  page: (file, options) => readPage(file as Uint8Array, json(options)),
  docx: (file, options, limits) => readDocx(file as Uint8Array, json(options), json(limits)),
  unpack: (file, limits) => unpack(file as Uint8Array, json(limits)),
  sitemap: (file) => readSitemap(file as Uint8Array),
  robots: (text, url, page) => readRobots(String(text), String(url), String(page)),
  outline: (file, url) => readOutline(file as Uint8Array, String(url)),
  /** Returns a text as UTF-8. */
  text: (file, contentType) =>
    pack({}, [{ name: '', content: Buffer.from(decodeText(file as Uint8Array, String(contentType))) }]),
}
