// Splits a page's file into front matter and body.
import { findFrontMatter } from './front-matter.js'
import type { PageSource } from './types.js'
import { TextTooCostly, type TextWork } from './work/text-work.js'

/** Reads a markdown file's front matter and body. Parses only the front matter, in a thread if it is long. */
export async function readSource(work: Pick<TextWork, 'page'>, text: string, path: string): Promise<PageSource> {
  const found = findFrontMatter(text)
  if (!found) return { attributes: {}, markdown: text, bodyStart: 0, diagnostics: [] }
  try {
    const { bodyStart, ...page } = await work.page(text.slice(0, found.bodyStart), path)
    return { ...page, bodyStart, markdown: text.slice(bodyStart) }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    const message = `The front matter is ignored. ${error.message}`
    return {
      attributes: {},
      markdown: text.slice(found.bodyStart),
      bodyStart: found.bodyStart,
      diagnostics: [{ code: 'too-costly', message, file: path, line: 1 }],
      doubtful: true,
    }
  }
}
