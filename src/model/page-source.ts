/** The unchanged file of a page, for editors of its source. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, nullable, Timestamp } from './common.js'
import { Diagnostic, GitPlace } from './content.js'
import { User } from './user.js'

/** Maximum length of a source that an editor may load and save, in characters. The limit in bytes is lower. */
const MAX_SOURCE_LENGTH = 1_200_000
/** Maximum length of a front matter block with its fences, in characters. */
const MAX_BLOCK_LENGTH = 66_000

const written = {
  object: Type.Literal('page-source'),
  page: Id,
  revision: Type.String({ description: 'The revision that contains this file.' }),
  git: GitPlace,
}

export const PageSource = Type.Object(
  {
    ...written,
    markdown: Type.String({
      description:
        'The whole file, with its front matter, byte order mark and line ends. A file that is not UTF-8 is read as Latin-1.',
    }),
  },
  { $id: 'PageSource' },
)
export type PageSource = Static<typeof PageSource>

export const PageSourceInput = Type.Object(
  {
    markdown: Type.String({
      maxLength: MAX_SOURCE_LENGTH,
      description: 'The whole file. It is written unchanged, in the encoding of the file.',
    }),
    message: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'Subject (and body) of the commit.' }),
    ),
  },
  { ...closed, $id: 'PageSourceInput' },
)
export type PageSourceInput = Static<typeof PageSourceInput>

export const PageSourceWritten = Type.Object(written, { $id: 'PageSourceWritten' })

const text = (maxLength: number) => Type.Optional(nullable(Type.String({ maxLength })))
const flag = Type.Optional(nullable(Type.Boolean()))

/** The keys of the front matter that a form can change. Null removes a key. */
const FrontMatterChanges = Type.Object(
  {
    description: text(1024),
    icon: text(50),
    emoji: text(50),
    cover: text(2048),
    condition: text(1024),
    hidden: flag,
    noIndex: flag,
    noRobotsIndex: flag,
    tags: Type.Optional(nullable(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 }))),
  },
  { ...closed, description: 'The keys to set. Null removes a key. Other keys and lines keep their bytes.' },
)

export const FrontMatterInput = Type.Object(
  {
    markdown: Type.String({
      maxLength: MAX_BLOCK_LENGTH,
      description: 'The front matter with both fences, without the text of the page. Empty if the page has none.',
    }),
    set: Type.Optional(FrontMatterChanges),
  },
  { ...closed, $id: 'FrontMatterInput' },
)
export type FrontMatterInput = Static<typeof FrontMatterInput>

export const FrontMatter = Type.Object(
  {
    markdown: Type.String({ description: 'The front matter with the changed keys; empty if no key is left.' }),
    attributes: Type.Object({
      title: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      icon: Type.Optional(Type.String()),
      emoji: Type.Optional(Type.String()),
      cover: Type.Optional(Type.String({ description: 'The picture as written.' })),
      condition: Type.Optional(Type.String()),
      hidden: Type.Optional(Type.Boolean()),
      noIndex: Type.Optional(Type.Boolean()),
      noRobotsIndex: Type.Optional(Type.Boolean()),
      tags: Type.Optional(Type.Array(Type.String())),
    }),
    diagnostics: Type.Array(Diagnostic),
  },
  { $id: 'FrontMatter' },
)

export const PresenceInput = Type.Object(
  {
    editor: Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z0-9_-]{8,64}$',
      'x-pattern-message': 'must be 8 to 64 letters, digits, - or _',
      description: 'A random name of the open editor, because a user may have several.',
    }),
    line: Type.Optional(
      nullable(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'The line of the caret, from 1.' })),
    ),
    leaves: Type.Optional(Type.Boolean({ description: 'True removes the editor from the list.' })),
  },
  { ...closed, $id: 'PresenceInput' },
)
export type PresenceInput = Static<typeof PresenceInput>

export const Presence = Type.Object(
  {
    people: Type.Array(
      Type.Object({
        editor: Type.String(),
        user: User,
        line: nullable(Type.Integer()),
        seenAt: Timestamp,
      }),
    ),
  },
  {
    $id: 'Presence',
    description: 'The other editors of a page that sent a request in the last 30 seconds, at most 20.',
  },
)
