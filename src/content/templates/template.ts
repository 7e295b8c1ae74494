/** The type of a template: content for a new space, or to add to a space. */
import type { ContentStructure } from '../types.js'

/** A placeholder in a template for a file of the space, such as a logo. */
export interface TemplateRef {
  name: string
  description: string
  /** The template file that is used by default: its path in the content. */
  file: string
}

/**
 * A link target in a page that refers to another part of the template. Offsets are UTF-16 units into the page's text.
 */
export interface TemplateLink {
  start: number
  end: number
  to: { page: string } | { file: string }
  /** `#anchor`, or ''. */
  suffix: string
}

export interface Template {
  id: string
  title: string
  description: string
  emoji?: string
  refs: readonly TemplateRef[]
  /** The files of its content, by path. */
  files: ReadonlyMap<string, Uint8Array>
  structure: ContentStructure
  /** The links within the template, by page. */
  links: ReadonlyMap<string, readonly TemplateLink[]>
}

/** Thrown if a folder is not a valid template. The message names the file and how to fix it. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateError'
  }
}
