/** Writes the folder of a book for printing: documents, pictures and their order. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFile } from '../../content/read-file.js'
import type { PrintOrder } from '../../printing/index.js'
import {
  type BookFacts,
  type Chapter,
  chaptersDocument,
  type ContentsItem,
  frontDocument,
  type Sheet,
} from '../../render/index.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { eachDocument, knownPages, type OpenRevision } from '../revisions/revisions.js'
import { anchorOfPage, bookAddress, pageHtml, type PageSurroundings } from './page-html.js'
import { Pictures } from './pictures.js'
import { type Chosen, choosePages, eachChosen, type PdfChoice } from './selection.js'
import { defined } from '../../kernel/defined.js'

/**
 * Approximate HTML size in characters of a document that is printed in one piece. Larger ones need more of Chromium's
 * memory.
 */
const DOCUMENT_LENGTH = 2_500_000

/** Writes the book into the folder. Throws 404 if the requested page does not exist. */
export async function writeBook(
  app: App,
  revision: OpenRevision,
  folder: string,
  choice: PdfChoice,
  facts: BookFacts,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const chosen = await chosenPages(app, revision, choice)
  const around: PageSurroundings = {
    app,
    revision,
    pictures: new Pictures(app, revision.space.doc.id, revision.snapshot, folder),
    paths: new Set((await revision.snapshot.walk()).filter(isFile).map((entry) => entry.path)),
    printed: new Set([...eachChosen(chosen)].map((entry) => entry.id)),
    lang: facts.lang,
  }
  const documents: string[] = []
  let chapters: Chapter[] = []
  let length = 0
  const flush = async (): Promise<void> => {
    if (chapters.length === 0) return
    const name = `${documents.length}.html`
    await writeFile(join(folder, name), chaptersDocument(facts, chapters))
    documents.push(name)
    chapters = []
    length = 0
  }
  const slices = new Slices()
  for (const one of chosen) {
    let chapter: Chapter = { title: titleOf(one), group: one.type === 'group', sheets: [] }
    chapters.push(chapter)
    for await (const sheet of sheetsOf(one, around)) {
      if (length > 0 && length + sheet.html.length > DOCUMENT_LENGTH) {
        await flush()
        chapter = { ...chapter, group: false, sheets: [] }
        chapters.push(chapter)
      }
      chapter.sheets.push(sheet)
      length += sheet.html.length
      if (slices.due) await slices.rest()
    }
  }
  await flush()
  await writeOrder(folder, facts, { chosen, documents, withFront: !choice.only })
}

async function chosenPages(app: App, revision: OpenRevision, choice: PdfChoice): Promise<Chosen[]> {
  const { pages } = revision.structure
  const known = await knownPages(app, revision, eachDocument(pages))
  return choosePages(pages, (entry) => known.get(entry.gitPath)?.page, choice)
}

async function* sheetsOf(chosen: Chosen, around: PageSurroundings, depth = 0): AsyncGenerator<Sheet> {
  if (chosen.type === 'page') {
    const { entry } = chosen
    const page = await pageHtml(entry, around)
    const { html, headings, description } = page
    const sheet = {
      anchor: anchorOfPage(entry.id),
      title: page.title ?? entry.title,
      depth,
      html,
      ids: headings.map(({ id }) => id),
    }
    yield { ...sheet, ...defined({ description }) }
  }
  for (const below of chosen.pages) yield* sheetsOf(below, around, chosen.type === 'group' ? depth : depth + 1)
}

const titleOf = (one: Chosen): string => (one.type === 'page' ? one.entry.title : one.title)

const contentsOf = (chosen: readonly Chosen[]): ContentsItem[] =>
  chosen.map((one) => ({
    title: titleOf(one),
    ...(one.type === 'page' ? { anchor: anchorOfPage(one.entry.id) } : {}),
    items: contentsOf(one.pages),
  }))

async function writeOrder(
  folder: string,
  facts: BookFacts,
  { chosen, documents, withFront }: { chosen: Chosen[]; documents: string[]; withFront: boolean },
): Promise<void> {
  const contents = contentsOf(chosen)
  if (withFront)
    await writeFile(
      join(folder, 'front.html'),
      frontDocument(facts, contents, (anchor) => bookAddress(anchor)),
    )
  const order: PrintOrder = {
    title: facts.title,
    author: facts.organization,
    lang: facts.lang,
    date: facts.date,
    front: withFront ? 'front.html' : null,
    documents,
    outline: contents,
  }
  await writeFile(join(folder, 'order.json'), JSON.stringify(order))
}
