/** The task that converts a Word document to markdown, with its images as files. */
import mammoth from 'mammoth'
import { pack, type ContainerPart, unpackParts } from './container.js'
import { type ConvertedPage, type PageOptions, readPage } from './page.js'
import { Unconvertible } from './refused.js'
import { readArchive, type UnpackLimits } from './unpack.js'

/**
 * Returns the interface that the library needs for an opened archive. The archive was unpacked within limits, so the
 * library never unpacks anything.
 */
const openedArchive = (files: ReadonlyMap<string, Uint8Array>) => ({
  exists: (name: string) => files.has(name),
  read: async (name: string, encoding?: string) => {
    const content = files.get(name)
    if (!content) throw new Unconvertible(`The Word document is incomplete: ${name} is missing.`)
    if (encoding === 'base64') return Buffer.from(content).toString('base64')
    return encoding ? new TextDecoder(encoding).decode(content) : content
  },
})

/** Rejects XML entities. Word does not write document types, so a document with one was made to expand its entities. */
function rejectEntities(files: readonly ContainerPart[]): void {
  for (const { name, content } of files) {
    if (!/\.(xml|rels)$/i.test(name)) continue
    if (/<!(DOCTYPE|ENTITY)/i.test(Buffer.from(content).toString('latin1').replaceAll('\0', '')))
      throw new Unconvertible(`It is not a document that Word created: ${name} declares XML entities.`)
  }
}

interface Image {
  contentType: string
  readAsBuffer(): Promise<Buffer>
}

/** Converts a Word document. The result is the same as for `readPage`. Throws `Unconvertible`. */
export async function readDocx(bytes: Uint8Array, options: PageOptions, limits: UnpackLimits): Promise<Uint8Array> {
  const { files } = await readArchive(bytes, limits)
  rejectEntities(files)
  const byName = new Map(files.map(({ name, content }) => [name, content]))
  if (!byName.has('[Content_Types].xml'))
    throw new Unconvertible('It is not a Word document (.docx). Save it in that format.')
  const images: ContainerPart[] = []
  const convertImage = mammoth.images.imgElement(async (image: Image) => {
    const content = await image.readAsBuffer().catch(() => null)
    if (content === null) return { src: '' }
    const name = `${options.attach}word-${images.length + 1}.${(image.contentType.split('/')[1] ?? 'png').replace('jpeg', 'jpg').replace(/\+xml$/, '')}`
    images.push({ name, content })
    // Use any address that is kept until the files are named.
    return { src: `archive:///${images.length - 1}` }
  })
  const input = { file: openedArchive(byName) } as unknown as Parameters<typeof mammoth.convertToHtml>[0]
  const { value } = await mammoth.convertToHtml(input, {
    convertImage,
    styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
  })
  const page = unpackParts<ConvertedPage>(
    readPage(Buffer.from(value), { ...options, contentType: 'text/html; charset=utf-8', whole: true }),
  )
  const [text, ...others] = page.parts
  const markdown = Buffer.from(text?.content ?? [])
    .toString()
    .replace(/archive:\/\/\/(\d+)/g, (whole, index: string) => images[Number(index)]?.name ?? whole)
  return pack(page.facts, [{ name: '', content: Buffer.from(markdown) }, ...images, ...others])
}
