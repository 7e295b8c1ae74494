/** The position of a YAML map's member, and the member itself. */

export interface LineColumn {
  /** 1-based, in the YAML text. */
  line: number
  column: number
}

export interface YamlEntry {
  key: string
  value: unknown
  /** A scalar as written (`1.10` stays `1.10`); null if the value is a list or map. */
  text: string | null
  position: LineColumn
}
