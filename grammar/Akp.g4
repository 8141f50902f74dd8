// The kernel pattern language: docs/akp-language.md explains it construct by construct.
//
// The parser accepts a little more than the language (operator expressions and terms share one shape), so that a
// decision needs one or two tokens and an error is reported where it is; ast_*.cpp rejects the rest.
grammar Akp;

// ---- files and declarations

file : version? item* EOF ;

version : AKP INT SEMI ;

item
  : importDecl
  | applies
  | evidenceDecl
  | viewsDecl
  | classDecl
  | hiddenDecl
  | disableDecl
  | lowerDecl
  | fragmentDecl
  | kernelDecl
  | refineDecl
  ;

importDecl : IMPORT STRING SEMI ;

applies : (RUNTIME | VENDOR | ARCH) targetList SEMI ;

targetList : targetName ((BAR | COMMA) targetName)* ;

targetName : STRING | ruleName ;

evidenceDecl : EVIDENCE ident SEMI ;

viewsDecl : VIEWS ident? condition* LBRACE operatorName (COMMA operatorName)* COMMA? RBRACE ;

classDecl : CLASS ident ASSIGN operatorName (BAR operatorName)* SEMI ;

hiddenDecl : HIDDEN_OPS operatorName (COMMA operatorName)* SEMI ;

disableDecl : DISABLE ruleName (COMMA ruleName)* SEMI ;

lowerDecl : LOWER STRING (BAR STRING)* lowerParams block? ARROW results condition* SEMI ;

lowerParams : LPAREN (lowerParam (COMMA lowerParam)*)? RPAREN ;

lowerParam : CONST? ident (QUESTION | ELLIPSIS)? | ELLIPSIS ;

fragmentDecl : FRAGMENT ident params block? ARROW results SEMI? ;

kernelDecl : KERNEL ruleName (COLON ruleName)? LBRACE member* RBRACE ;

refineDecl : REFINE ruleName LBRACE member* RBRACE ;

// ---- rules

member
  : LABEL STRING SEMI
  | CATEGORY ruleName SEMI
  | PRIORITY MINUS? INT SEMI
  | RECOMPUTE SEMI
  | GENERATED SEMI
  | EVIDENCE ident SEMI
  | applies
  | matches
  | runs
  ;

matches : OR? matchAlt (OR matchAlt)* SEMI ;

matchAlt : MATCH params? block? ARROW results (WHERE expr)? ;

params : LPAREN (param (COMMA param)*)? RPAREN ;

param : ident QUESTION? ;

block : LBRACE statement* RBRACE ;

results : term (COMMA term)* ;

// ---- patterns

statement
  : SHARED ident (COMMA ident)* SEMI
  | ANCHOR ident SEMI
  | WHERE expr SEMI
  | targets ASSIGN term SEMI
  ;

targets : ident (COMMA ident)* | LPAREN ident (COMMA ident)* RPAREN ;

term : BANG? atom postfix* ;

atom
  : CONST constArg?
  | operatorName
  | LPAREN term ((BAR term)+ | (COMMA term)+)? (BUT term (BAR term)*)? RPAREN
  ;

constArg : number | LPAREN expr RPAREN ;

number : MINUS? (INT | FLOAT) ;

operatorName : (domain COLONCOLON)? (ident | STAR) ;

domain : STRING | STAR | ident (DOT ident)* ;

postfix
  : QUESTION
  | STAR
  | PLUS
  | count
  | LPAREN args RPAREN
  | LBRACE expr (COMMA expr)* COMMA? RBRACE
  ;

count : LBRACE INT (COMMA INT?)? RBRACE ;

args : arg (COMMA arg)* ;

arg : ELLIPSIS | ident ELLIPSIS | term | /* nothing: an operand that may be left out */ ;

// ---- kernels

runs : (RUNS | OR) AS launch (OR AS launch)* SEMI ;

launch : (NOTHING | SET? LBRACE step (SEMI step)* SEMI? RBRACE | step) condition* ;

step : expr (QUESTION | STAR | PLUS | count)? ;

condition
  : FOR OP? frameworkOperator (BAR frameworkOperator)*
  | (ON | ARCH | RUNTIME) targetList
  ;

frameworkOperator : STRING | REGEX ;

// ---- expressions

expr : conjunction (OR conjunction)* ;

conjunction : alternatives (AND alternatives)* ;

alternatives : negation (BAR negation)* ;

negation : (NOT | BANG)* comparison ;

comparison : sum ((EQ | NE | LT | LE | GT | GE | ASSIGN) sum | NOT? IN valueSet)* ;

valueSet : LPAREN valueRange (COMMA valueRange)* COMMA? RPAREN | number DOTDOT number ;

valueRange : sum (DOTDOT sum)? ;

sum : product ((PLUS | MINUS) product)* ;

product : unary ((STAR | SLASH | PERCENT) unary)* ;

unary : MINUS* primary ;

primary
  : INT
  | FLOAT
  | STRING
  | REGEX
  | TRUE
  | FALSE
  | ident LPAREN (expr (COMMA expr)*)? RPAREN
  | ident (DOT ident)*
  | LPAREN expr RPAREN
  | LBRACK (expr (COMMA expr)*)? RBRACK
  ;

// ---- names

// These words are keywords only at the start of a declaration, a member or a condition. Elsewhere they are names.
ident
  : IDENT | AKP | ANCHOR | ARCH | BUT | CATEGORY | CLASS | DISABLE | EVIDENCE | FOR | FRAGMENT | GENERATED | HIDDEN_OPS | IMPORT | KERNEL
  | LABEL | LOWER | NOTHING | ON | OP | PRIORITY | RECOMPUTE | REFINE | RUNS | RUNTIME | SET | SHARED | VENDOR | VIEWS
  ;

// `add-reshape-transpose`: the parts must touch, which ast_expressions.cpp checks.
ruleName : STRING | namePart (MINUS namePart)* ;

namePart : ident | INT | AND | AS | CONST | IN | MATCH | NOT | OR | WHERE | TRUE | FALSE ;

// ---- tokens
// lexer.h decides what an automaton decides slowly or not at all: whether a word is a keyword, and whether `/` starts a
// regular expression. Here it always does, and a word matches its keyword before IDENT.

AKP : 'akp' ;
ANCHOR : 'anchor' ;
AND : 'and' ;
ARCH : 'arch' ;
AS : 'as' ;
BUT : 'but' ;
CATEGORY : 'category' ;
CLASS : 'class' ;
CONST : 'const' ;
DISABLE : 'disable' ;
EVIDENCE : 'evidence' ;
FALSE : 'false' ;
FOR : 'for' ;
FRAGMENT : 'fragment' ;
GENERATED : 'generated' ;
HIDDEN_OPS : 'hidden' ;
IMPORT : 'import' ;
IN : 'in' ;
KERNEL : 'kernel' ;
LABEL : 'label' ;
LOWER : 'lower' ;
MATCH : 'match' ;
NOT : 'not' ;
NOTHING : 'nothing' ;
ON : 'on' ;
OP : 'op' ;
OR : 'or' ;
PRIORITY : 'priority' ;
RECOMPUTE : 'recompute' ;
REFINE : 'refine' ;
RUNS : 'runs' ;
RUNTIME : 'runtime' ;
SET : 'set' ;
SHARED : 'shared' ;
TRUE : 'true' ;
VENDOR : 'vendor' ;
VIEWS : 'views' ;
WHERE : 'where' ;

ARROW : '->' ;
ELLIPSIS : '...' ;
DOTDOT : '..' ;
DOT : '.' ;
COLONCOLON : '::' ;
COLON : ':' ;
SEMI : ';' ;
COMMA : ',' ;
LPAREN : '(' ;
RPAREN : ')' ;
LBRACE : '{' ;
RBRACE : '}' ;
LBRACK : '[' ;
RBRACK : ']' ;
EQ : '==' ;
NE : '!=' ;
LE : '<=' ;
GE : '>=' ;
LT : '<' ;
GT : '>' ;
ASSIGN : '=' ;
BANG : '!' ;
BAR : '|' ;
QUESTION : '?' ;
STAR : '*' ;
PLUS : '+' ;
MINUS : '-' ;
PERCENT : '%' ;

IDENT : [A-Za-z_] [A-Za-z_0-9]* ;
FLOAT : [0-9]+ '.' [0-9]+ EXPONENT? | [0-9]+ EXPONENT ;
INT : [0-9]+ ;
fragment EXPONENT : [eE] [+\-]? [0-9]+ ;

STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '"' ;
// Written by mistake: tokens of their own, so that each is one mistake. wrong_spellings.cpp says what they may mean.
QUOTED : '\'' (~['\\\r\n] | '\\' ~[\r\n])* '\'' ;
HASH_COMMENT : '#' ~[\r\n]* ;
WRONG : '!==' | '&' | '&&' | ':=' | '<>' | '=<' | '===' | '=>' | '=~' | '||' | '~' ;
OPEN_STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '\\'? ;

DOC : '///' ~[\r\n]* -> channel(2) ;
COMMENT : '//' ~[\r\n]* -> skip ;
BLOCK_COMMENT : '/*' .*? '*/' -> skip ;
OPEN_COMMENT : '/*' (~'*' | '*'+ ~[*/])* '*'* ;

REGEX : '/' (~[/\\\r\n*] | '\\' ~[\r\n]) (~[/\\\r\n] | '\\' ~[\r\n])* '/' ;
OPEN_REGEX : '/' (~[/\\\r\n*] | '\\' ~[\r\n]) (~[/\\\r\n] | '\\' ~[\r\n])* '\\'? ;
SLASH : '/' ;

SPACE : [ \t\r\n\f]+ -> skip ;
UNKNOWN : . ;
