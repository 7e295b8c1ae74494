/** Translations: spaces that are kept up to date with a source space in another language. */
import type { CommitId } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, Language, listOf, nullable, oneOf, permissionsOf, Timestamp } from './common.js'
import { defined } from '../kernel/defined.js'

const translationStates = ['pending', 'running', 'completed', 'failed'] as const
const problemCodes = [
  'engine',
  'budget',
  'forbidden',
  'locked',
  'source-gone',
  'result-gone',
  'conflict',
  'too-large',
  'internal',
] as const
export type TranslationProblemCode = (typeof problemCodes)[number]
const engines = ['deepl', 'libretranslate', 'openai', 'apertium'] as const

/** The reason why the last run failed, as a sentence with the remedy. */
export interface TranslationProblem {
  code: TranslationProblemCode
  message: string
}

/** Content that stays in the source language, with the reason. */
export interface TranslationNote {
  path: string
  reason: string
}

/** The result of one run. */
export interface RunResult {
  /** The resulting head. */
  revision?: CommitId
  changeRequest?: string
  pages: number
  words: number
  notes: TranslationNote[]
}

/** A translation, as stored. */
export interface TranslationDoc {
  id: string
  organization: string
  source: { space: string; language: Language }
  language: Language
  result: { space: string; revision: CommitId; changeRequest?: string }
  /** The first commit of the result. Its content was created by the service. */
  initial: CommitId
  status: (typeof translationStates)[number]
  problem?: TranslationProblem
  notes: TranslationNote[]
  instructions?: Instructions
  glossary?: { source: string; target: string }[]
  engine?: (typeof engines)[number]
  automatic?: { charactersPerMonth: number }
  /** The user who enabled automatic runs. */
  automaticBy?: string
  /** Number of characters that runs sent in a month (`2026-05`, UTC). */
  spent?: { month: string; characters: number }
  runs: number
  totalWords: number
  totalPages: number
  /** In milliseconds. */
  totalDuration: number
  /** In milliseconds. */
  latestRunDuration: number
  latestPages: number
  latestWords: number
  /** The source head of the last run, regardless of its result. */
  seen?: CommitId
  /** Start of the current run, and its commit. A run after a crash ends with that commit. */
  startedAt?: string
  committed?: RunResult & { commit: CommitId }
  createdBy: string
  createdAt: string
  updatedAt: string
}

export const translations = table<TranslationDoc>()({
  name: 'translations',
  indexes: {
    organization: (one) => one.organization,
    source: (one) => one.source.space,
    result: (one) => one.result.space,
  },
  orders: {
    automatic: { group: (one) => (one.automatic === undefined ? null : 'all'), by: (one) => one.source.space },
  },
  owner: 'organization',
})

const InstructionBlocks = Type.Array(Type.Object({ object: Type.Literal('block') }, { additionalProperties: true }), {
  maxItems: 500,
})

export const Instructions = Type.Object(
  {
    object: Type.Literal('document'),
    data: Type.Object({ schemaVersion: Type.Number() }, { additionalProperties: true }),
    nodes: InstructionBlocks,
  },
  {
    $id: 'TranslationInstructions',
    description: 'Guidance for engines that accept instructions, as a block tree; empty if not set.',
  },
)
export type Instructions = Static<typeof Instructions>

const InstructionsInput = Type.Object(
  {
    object: Type.Literal('document'),
    data: Type.Optional(
      Type.Object(
        { schemaVersion: Type.Optional(Type.Number({ description: 'Default: the latest.' })) },
        { additionalProperties: true },
      ),
    ),
    nodes: InstructionBlocks,
  },
  {
    $id: 'TranslationInstructionsInput',
    description:
      'Guidance for engines that accept instructions, as a block tree. Only its text is used, at most 10,000 characters.',
  },
)
export type InstructionsInput = Static<typeof InstructionsInput>

const term = Type.String({ minLength: 1, maxLength: 200 })
const Glossary = Type.Array(Type.Object({ source: term, target: term }, closed), {
  maxItems: 500,
  description: 'Terms and their translations, for engines that support a glossary.',
})
const Engine = oneOf(engines, { description: 'Absent = the first engine of the server that supports the languages.' })
const Automatic = Type.Object(
  {
    charactersPerMonth: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Maximum number of characters that automatic runs send to the engine per month (UTC).',
    }),
  },
  { ...closed, description: 'Runs automatically when the main content of the source changes.' },
)

export const CreateTranslation = Type.Object(
  {
    language: Language,
    source: Type.Object(
      { space: Id, language: Type.Optional(Language) },
      { ...closed, description: 'The source space and its language (default: that of the space, else `en`).' },
    ),
    instructions: Type.Optional(InstructionsInput),
    glossary: Type.Optional(Glossary),
    engine: Type.Optional(Engine),
    automatic: Type.Optional(Automatic),
  },
  { ...closed, $id: 'CreateTranslation' },
)
export type CreateTranslation = Static<typeof CreateTranslation>

export const UpdateTranslation = Type.Object(
  {
    instructions: Type.Optional(nullable(InstructionsInput)),
    glossary: Type.Optional(nullable(Glossary)),
    engine: Type.Optional(nullable(Engine)),
    automatic: Type.Optional(nullable(Automatic)),
  },
  { ...closed, $id: 'UpdateTranslation', description: 'Omitted members keep their value; null removes one.' },
)
export type UpdateTranslation = Static<typeof UpdateTranslation>

const number = (description?: string) => Type.Number({ minimum: 0, ...defined({ description }) })

export const Translation = Type.Object(
  {
    object: Type.Literal('translation'),
    id: Id,
    status: oneOf(translationStates),
    error: Type.Optional(
      Type.Object(
        {
          code: oneOf(problemCodes),
          message: Type.String({ description: 'The reason why the last run failed, and the remedy.' }),
        },
        { description: 'Present if the last run failed.' },
      ),
    ),
    source: Type.Object({ space: Id, language: Language }),
    language: Language,
    instructions: Instructions,
    glossary: Type.Optional(Glossary),
    engine: Type.Optional(Engine),
    automatic: Type.Optional(Automatic),
    result: Type.Object({
      space: Id,
      language: Language,
      revision: Type.String({ description: 'The head after the last run.' }),
      changeRequest: Type.Optional(
        Type.String({
          description: 'The change request with the result of the last run, if merges into the space must meet rules.',
        }),
      ),
    }),
    diagnostics: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() }), {
      description: 'Pages and blocks that the last run left in the source language; at most 50.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    stats: Type.Object({
      runs: number('Number of completed runs.'),
      totalWords: number(),
      totalPages: number(),
      totalDuration: number('Duration of all runs in seconds.'),
      latestRunDuration: number('Duration of the latest run in seconds.'),
      latestPages: number('Number of pages that the latest run changed.'),
      latestWords: number('Number of source words that the latest run translated.'),
    }),
    permissions: permissionsOf(['view', 'edit'] as const),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'Translation' },
)

export const TranslationList = listOf(Translation, { $id: 'TranslationList' })
