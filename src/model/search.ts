/** Search results: pages with sections, and spaces with pages. */
import { Type } from '@sinclair/typebox'
import { listOf, pageQuery } from './common.js'

/** The query parameters of a search. */
export const searchQuery = {
  ...pageQuery,
  query: Type.String({
    maxLength: 512,
    description:
      'The words to find; all of them must match, and the last one may be incomplete. Words that are not in the content match similar words. In Chinese, ' +
      'Japanese, Korean and Thai, two or more characters are found anywhere in a text. There are no operators.',
  }),
}

const urls = Type.Object({ app: Type.String() })

const SCORE = 'Higher is better.'

const SearchSection = Type.Object(
  {
    id: Type.String({
      description: 'The ID of the page, followed by `#` and the anchor if the section has a heading.',
    }),
    title: Type.String({ description: 'The heading; for text before the first heading, the title of the page.' }),
    path: Type.String({ description: 'The path of the page, followed by `#` and the anchor.' }),
    body: Type.String({
      description:
        'Plain text around the matches, at most 300 characters. Each matched word is between `**`; omitted text is an ellipsis.',
    }),
    score: Type.Number({ description: SCORE }),
    resultType: Type.Literal('section'),
    urls,
  },
  { $id: 'SearchSection' },
)

const page = {
  id: Type.String(),
  title: Type.String(),
  path: Type.String(),
  sections: Type.Array(SearchSection, {
    description: 'At most five, best first; empty if only the title of the page matches.',
  }),
  description: Type.String({ description: 'The description of the page; empty without one.' }),
  score: Type.Number({ description: SCORE }),
  rank: Type.Integer({
    minimum: 1,
    description: 'Position in the whole result, from 1. It continues across pages of the list.',
  }),
  ancestors: Type.Array(Type.Object({ title: Type.String() }), {
    description: 'The entries above the page, from the top.',
  }),
  resultType: Type.Literal('page'),
  urls,
}

export const SearchPage = Type.Object(page, { $id: 'SearchPage' })

const SearchSpace = Type.Object(
  {
    type: Type.Literal('space'),
    id: Type.String(),
    title: Type.String(),
    score: Type.Number({ description: 'The score of its best page.' }),
    pages: Type.Array(SearchPage, { description: 'At most five, best first.' }),
  },
  { $id: 'SearchSpace' },
)

/** The schema of a search result with pages of one space. */
export const searchPages = Type.Object(
  {
    ...listOf(SearchPage).properties,
    partial: Type.Optional(
      Type.Literal(true, {
        description:
          'The index lacks some pages or changes, so results and `count` are incomplete. Repeat the request a moment later.',
      }),
    ),
  },
  { $id: 'SearchPageList' },
)

/** Returns the schema of a search result with spaces. */
export const searchSpaces = (options: { $id: string }) =>
  Type.Object(
    {
      ...listOf(SearchSpace).properties,
      partial: Type.Optional(
        Type.Literal(true, {
          description:
            'Not all spaces could be searched in time, so results and `count` are incomplete. Repeat the request.',
        }),
      ),
    },
    options,
  )
