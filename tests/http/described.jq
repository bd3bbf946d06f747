# Lines about every field of the input that schema $name of the document doesn't describe, every
# described one that is missing, and every null that isn't allowed. No lines: all is well.

def resolved:
  if has("$ref") then (."$ref" | ltrimstr("#/") | split("/")) as $path
                      | $document[0] | getpath($path) | resolved
  elif has("allOf") then .allOf[0] | resolved
  elif has("anyOf") then .anyOf[0] | resolved
  else . end;

def may_be_null:
  if has("anyOf") then any(.anyOf[]; .type == "null")
  elif has("type") then ([.type] | flatten | index("null")) != null
  else false end;

def problems($schema; $where):
  . as $value
  | if $schema | has("oneOf") then empty
    elif $value == null then
      if $schema | may_be_null then empty else "\($where): null is not described" end
    else
      ($schema | resolved) as $plain
      | if ($value | type) == "array" then
          range($value | length) as $i
          | if $plain | has("items") then
              $value[$i] | problems($plain.items; "\($where)[\($i)]")
            else empty end
        elif ($value | type) == "object" then
          ($plain.properties // {}) as $known
          | ($plain.required // []) as $required
          | ((($value | keys) - ($known | keys))[] | "\($where).\(.): not described"),
            (($required - ($value | keys))[] | "\($where).\(.): described and never answered"),
            ($value | keys[] | select($known[.] != null) as $key
             | $value[$key] | problems($known[$key]; "\($where).\($key)"))
        else empty end
    end;

problems($document[0].components.schemas[$name]; $name)
