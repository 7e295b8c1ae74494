/**
 * Reads a PDF as viewers do: its structure through pdf.js, its text through pdftotext, which also knows how Arabic
 * letters are joined.
 */
import { spawnSync } from 'node:child_process'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

export interface ReadPdf {
  /** Texts of the pages, with blanks and line ends as one blank. */
  pages: string[]
  labels: string[]
  /** Titles with their depth and page (from 1), in order. */
  outline: { title: string; depth: number; page: number }[]
  /** From page to page (from 1), and to addresses. */
  links: { from: number; to: number | string }[]
  title: string
  tagged: boolean
}

interface OutlineNode {
  title: string
  dest: unknown
  items: OutlineNode[]
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const pageOf = async (dest: unknown): Promise<number> => (await pdf.getPageIndex((dest as [never])[0])) + 1
  const read: ReadPdf = {
    pages: textsOf(bytes),
    labels: (await pdf.getPageLabels()) ?? [],
    outline: [],
    links: [],
    title: '',
    tagged: false,
  }
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    for (const link of await page.getAnnotations())
      read.links.push({ from: number, to: link.url ?? (await pageOf(link.dest)) })
    page.cleanup()
  }
  const walk = async (nodes: readonly OutlineNode[], depth: number): Promise<void> => {
    for (const node of nodes) {
      read.outline.push({ title: node.title, depth, page: await pageOf(node.dest) })
      await walk(node.items, depth + 1)
    }
  }
  await walk(((await pdf.getOutline()) ?? []) as OutlineNode[], 0)
  const { info } = (await pdf.getMetadata()) as { info: { Title?: string } }
  read.title = info.Title ?? ''
  read.tagged = (await pdf.getMarkInfo())?.Marked === true
  await pdf.destroy()
  return read
}

/** The texts of the pages. Each ends with a form feed. */
function textsOf(bytes: Uint8Array): string[] {
  const { status, stdout, stderr } = spawnSync('pdftotext', ['-enc', 'UTF-8', '-', '-'], {
    input: bytes,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`pdftotext (package poppler-utils): ${stderr}`)
  // Direction marks are not text.
  return stdout
    .toString()
    .split('\f')
    .slice(0, -1)
    .map((text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/\s+/g, ' '))
}
