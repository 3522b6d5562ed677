r"""The grammar of TLA+, for lark's LALR parser.

When the grammar applies, columns have become tokens (`layout`), proofs are removed and definitions marked (`proofs`).
The grammar is loose in two ways, which `building` makes exact. A chain of operators is a flat list. Binders (`x, y \in
S`) are read as expressions, since one token of lookahead cannot tell `{x \in S}` from `{x \in S : p}`.
"""

from schedcheck.checker.language.syntax.tokens import TERMINALS

DECLARED = (
    "NAME OPERATOR PREFIX INFIX POSTFIX SYMBOL SEPARATOR OPEN NEXT CLOSE BREAK EXTENDS VARIABLE CONSTANT RECURSIVE "
    "LOCAL INSTANCE WITH ASSUME THEOREM PROVE IF THEN ELSE LET IN CASE OTHER CHOOSE EXCEPT LAMBDA LPAR RPAR LSQUARE RSQUARE ACTION "
    "LBRACE RBRACE LTUPLE RTUPLE CHANGE COMMA COLON LABEL DOT UNDERSCORE DEF EQUALS BANG PART ARROW GETS MAPSTO QUANTIFIER"
)

_RULES = r"""
module: BEGIN NAME LINE extends units END
extends: (EXTENDS names)?
units: unit*
names: NAME (COMMA NAME)*

?unit: LINE                                                      -> nothing
     | VARIABLE names                                            -> variables
     | CONSTANT parameters                                       -> constants
     | recursive
     | definition
     | LOCAL definition                                          -> local
     | instance
     | LOCAL instance                                            -> local
     | ASSUME expression                                         -> assumption
     | ASSUME NAME DEF expression                                -> named_assumption
     | THEOREM NAME DEF expression                               -> theorem
     | THEOREM NAME DEF PROVE                                    -> proved
     | module
recursive: RECURSIVE parameters
parameters: parameter (COMMA parameter)*
parameter: NAME                                                  -> value_parameter
         | NAME LPAR UNDERSCORE (COMMA UNDERSCORE)* RPAR         -> operator_parameter
         | UNDERSCORE infix UNDERSCORE                           -> infix_parameter
         | UNDERSCORE POSTFIX                                    -> postfix_parameter
         | (SYMBOL | PREFIX) UNDERSCORE                          -> prefix_parameter
definition: BREAK NAME DEF expression                            -> constant_definition
          | BREAK NAME LPAR parameters RPAR DEF expression       -> operator_definition
          | BREAK NAME infix NAME DEF expression                 -> infix_definition
          | BREAK NAME POSTFIX DEF expression                    -> postfix_definition
          | BREAK (SYMBOL | PREFIX) NAME DEF expression          -> prefix_definition
          | BREAK NAME LSQUARE chains RSQUARE DEF expression     -> function_definition
          | BREAK NAME DEF instantiation                         -> constant_instance
          | BREAK NAME LPAR parameters RPAR DEF instantiation    -> operator_instance
instance: instantiation                                          -> unnamed_instance
instantiation: INSTANCE NAME (WITH substitution (COMMA substitution)*)?
substitution: (NAME | SYMBOL) GETS argument

expression: chain
chains: chain (COMMA chain)*
chain: PREFIX chain                                              -> prefixed
     | closed                                                    -> operand
     | closed infix chain                                        -> joined
     | closed LABEL chain                                        -> labelled
     | open                                                      -> operand
infix: INFIX | EQUALS

?open: QUANTIFIER chains COLON expression                        -> quantified
     | CHOOSE chains COLON expression                            -> choice
     | IF expression THEN expression ELSE expression             -> conditional
     | CASE arms                                                 -> cases
     | LET lets IN expression                                    -> let
arms: arm | arm SEPARATOR arms
arm: expression ARROW expression
   | OTHER ARROW expression                                      -> other
lets: (definition | recursive)+

?closed: path                                                    -> applied
       | selection
       | NUMBER                                                  -> number
       | DECIMAL                                                 -> decimal
       | STRING                                                  -> string
       | parenthesised
       | braces
       | brackets
       | tuple
       | FAIR reduced                                            -> fair_applied
       | FAIR reduced LPAR expression RPAR                       -> fair
       | OPEN expression (NEXT expression)* CLOSE                -> junction
       | closed POSTFIX                                          -> suffixed
       | closed DOT NAME                                         -> selected
       | closed LSQUARE chains RSQUARE                           -> indexed
?reduced: path                                                   -> applied
        | parenthesised
        | braces
        | brackets
        | tuple
path: first (BANG segment)*
first: NAME                                                      -> bare_segment
     | (NAME | SYMBOL) LPAR argument (COMMA argument)* RPAR      -> applied_segment
segment: (NAME | SYMBOL)                                         -> bare_segment
       | (NAME | SYMBOL) LPAR argument (COMMA argument)* RPAR    -> applied_segment
selection: first (BANG segment)* BANG part (BANG (segment | part))*
part: PART                                                       -> bare_part
    | LPAR argument (COMMA argument)* RPAR                       -> applied_part
?argument: expression
         | SYMBOL                                                -> symbol
         | LAMBDA names COLON expression                         -> abstraction
parenthesised: LPAR expression RPAR
braces: LBRACE RBRACE                                            -> empty_set
      | LBRACE chains RBRACE                                     -> enumeration
      | LBRACE chains COLON chains RBRACE                        -> comprehension
brackets: LSQUARE chains MAPSTO expression (COMMA NAME MAPSTO expression)* RSQUARE   -> mapping
        | LSQUARE chains COLON expression (COMMA NAME COLON expression)* RSQUARE     -> record_set
        | LSQUARE expression ARROW expression RSQUARE            -> function_set
        | LSQUARE expression EXCEPT update (COMMA update)* RSQUARE                   -> updated
        | LSQUARE expression ACTION reduced                      -> action
tuple: LTUPLE RTUPLE                                             -> empty_tuple
     | LTUPLE chains RTUPLE                                      -> sequence
     | LTUPLE expression CHANGE reduced                          -> change
update: BANG step+ EQUALS expression
step: DOT NAME                                                   -> field_step
    | LSQUARE chains RSQUARE                                     -> index_step
"""

GRAMMAR = f"{_RULES}\n%declare {DECLARED}\n{TERMINALS}\n%ignore BLANK\n"
